import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export const guidesFolder = join(import.meta.dirname, '../../../docs/guides')

/** Names of the guides, without their extension. */
export const guideNames = readdirSync(guidesFolder)
  .filter(name => name.endsWith('.md') && name !== 'README.md')
  .map(name => name.slice(0, -'.md'.length))

const BLOCK = /```(sh|json|text)\n([\s\S]*?)```/g
const END = '::end of a block::'

/** The registry that a guide is run against. */
export interface GuideRun {
  base: string
  dataDir: string
  /** Name for the organization that the guide creates as `Acme`, so that several guides share a registry. */
  organization: string
}

/** Runs the shell blocks of a guide in one shell, in order, and returns the output of each; throws if one fails. */
function runCalls(guide: string, { base, dataDir, organization }: GuideRun): string[] {
  const calls = Array.from(guide.matchAll(BLOCK)).flatMap(([, language, text]) =>
    language === 'sh' ? [text!] : [],
  )
  const { port } = new URL(base)
  const script = calls
    .map(call => `${call}\necho '${END}'`)
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', base)
    .replaceAll('http://127.0.0.1:3100', `http://127.0.0.1:${Number(port) + 100}`)
    .replaceAll('RECEIVER_PORT=3300', `RECEIVER_PORT=${Number(port) + 300}`)
    .replaceAll('DATA_DIR=data/var/demo', `DATA_DIR=${dataDir}`)
    .replaceAll('Acme', organization)
  // What a guide leaves running would keep this process waiting.
  const ending = "trap 'kill $(jobs -p) 2> /dev/null || :' EXIT"
  const shell = ['-eu', '-o', 'pipefail', '-c', `${ending}\n${script}`]
  const { status, stdout, stderr } = spawnSync('bash', shell, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'error' },
    encoding: 'utf8',
    cwd: join(import.meta.dirname, '../../..'),
  })
  if (status !== 0) throw new Error(`a call fails (${status}): ${stdout}\n${stderr}`)
  return stdout.replaceAll(base, 'http://127.0.0.1:3000').split(`${END}\n`).slice(0, -1)
}

/** Returns a guide in which the shown answers are replaced by those of this run. */
export function fillGuide(guide: string, run: GuideRun): string {
  const answers = runCalls(guide, run)
  let last = ''
  return guide.replace(BLOCK, (block, language) => {
    if (language !== 'sh') return `\`\`\`${language}\n${last}\`\`\``
    last = answers.shift()!
    return block
  })
}
