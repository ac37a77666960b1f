/**
 * Takes every line and statement away, one at a time, that decides whose answer is derived again, and
 * looks whether the property of test/property/writer/incremental.property.test.ts notices: a check of that
 * test. Takes minutes. `npm run check:mutations [text to be found in what is taken away]`
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  conditions,
  harmless,
  listConditionMutants,
  listMutants,
  type Mutant,
  regions,
} from './mutants.ts'

const root = join(import.meta.dirname, '../..')
/** Worlds until a mutant counts as alive, and seconds for all of them. */
const WORLDS = 150
const SECONDS = 240
const SEEDS = 1

type Fate = 'differs' | 'fails' | 'no program' | 'harmless' | 'ALIVE'

function run(): void {
  const copy = mkdtempSync(join(tmpdir(), 'registry-mutants-'))
  try {
    for (const part of ['pipeline', 'data', 'test', 'package.json', 'tsconfig.json']) {
      cpSync(join(root, part), join(copy, part), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    if (findFate(copy, WORLDS).fate !== 'ALIVE')
      throw new Error('the property does not hold as it is')
    const wanted = process.argv[2] ?? ''
    const readSource = ({ file }: { file: string }) => readFileSync(join(root, file), 'utf8')
    const mutants = [
      ...regions.flatMap(region => listMutants(region, readSource(region))),
      ...conditions.flatMap(condition => listConditionMutants(condition, readSource(condition))),
    ].filter(({ text }) => text.includes(wanted))
    const fates = mutants.map(mutant => report(mutant, judge(mutant, copy)))
    for (const fate of ['differs', 'fails', 'harmless', 'no program', 'ALIVE'] as const) {
      console.log(`${String(fates.filter(other => other === fate).length).padStart(4)} ${fate}`)
    }
    if (fates.includes('ALIVE')) process.exitCode = 1
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

interface Judged {
  fate: Fate
  /** Worlds lived through before it was noticed. */
  worlds: string
}

function judge(mutant: Mutant, copy: string): Judged {
  if (Object.hasOwn(harmless, mutant.text)) return { fate: 'harmless', worlds: '' }
  writeFileSync(join(copy, mutant.file), mutant.source)
  try {
    return findFate(copy, WORLDS)
  } finally {
    cpSync(join(root, mutant.file), join(copy, mutant.file))
  }
}

/**
 * Runs the property in a copy of the sources and returns whether it noticed the mutant. A mutant that
 * never ends counts as noticed.
 */
function findFate(copy: string, worlds: number): Judged {
  const args = [
    '--import',
    'tsx',
    'test/mutations/once.ts',
    ...[SEEDS, worlds, SECONDS].map(String),
  ]
  const timeout = (SECONDS + 60) * 1_000
  const run = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', timeout })
  const [first, second = ''] = run.stdout.split('\n')
  if (first !== 'loaded') return { fate: 'no program', worlds: '' }
  const fate: Fate = run.status === 0 ? 'ALIVE' : run.status === 1 ? 'differs' : 'fails'
  return { fate, worlds: second.split(' ')[0]! }
}

function report({ file, line, text }: Mutant, { fate, worlds }: Judged): Fate {
  const why = fate === 'harmless' ? harmless[text] : worlds && `after ${worlds}`
  const place = `${file.replace(/^.*\//, '')}:${line}`
  console.log(`${fate.padEnd(10)} ${why?.padEnd(10)} ${place.padEnd(22)} ${text.slice(0, 100)}`)
  return fate
}

run()
