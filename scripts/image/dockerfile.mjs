import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The instructions of a Dockerfile: `{ name, text, flags, words }`, continued lines joined. */
export function readDockerfile(path) {
  const lines = readFileSync(path, 'utf8').replace(/^\s*#.*\n/gm, '')
  return lines
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const [, name, rest] = /^(\w+)\s+(.*)$/.exec(line.trim())
      const [leading] = /^(--[\w-]+=\S+\s+)*/.exec(rest)
      const flags = Object.fromEntries(
        Array.from(leading.matchAll(/--([\w-]+)=(\S+)/g), match => match.slice(1)),
      )
      const text = rest.slice(leading.length)
      return { name: name.toUpperCase(), text, flags, words: text.split(/\s+/) }
    })
}

/**
 * Performs the instructions without a container engine: each stage is a folder below `work`, its
 * base image this machine. Returns the last stage.
 */
export function perform(instructions, context, work, say) {
  const stages = []
  for (const { name, text, flags, words } of instructions) {
    const stage = stages.at(-1)
    if (name === 'FROM') stages.push(begin(words, stages.length, work))
    else if (name === 'WORKDIR') stage.folder = inside(stage, text)
    else if (name === 'COPY') copy(stage, words, stageNamed(stages, flags.from)?.root ?? context)
    else if (name === 'RUN') execute(stage, text, say)
    else if (name === 'ENV') stage.env[text.split('=')[0]] = text.split('=').slice(1).join('=')
    else if (name === 'USER') stage.user = Number(text)
    else if (name === 'ENTRYPOINT') stage.entrypoint = JSON.parse(text)
    else if (name === 'CMD') stage.command = JSON.parse(text)
    else if (name === 'HEALTHCHECK') stage.healthcheck = JSON.parse(text.replace(/^CMD\s+/, ''))
    else if (name !== 'EXPOSE' && name !== 'VOLUME') throw new Error(`cannot perform ${name}`)
    if (stages.at(-1).folder) mkdirSync(stages.at(-1).folder, { recursive: true })
  }
  return stages.at(-1)
}

function begin([image, , name = 'final'], index, work) {
  const major = /^node:(\d+)/.exec(image)?.[1]
  if (major !== process.versions.node.split('.')[0]) {
    throw new Error(`the image starts from ${image}, this is Node ${process.versions.node}`)
  }
  const root = join(work, `${index}-${name}`)
  return { name, root, folder: root, env: {} }
}

function stageNamed(stages, name) {
  if (name === undefined) return undefined
  const stage = stages.find(stage => stage.name === name)
  if (!stage) throw new Error(`COPY --from=${name}: there is no such stage`)
  return stage
}

/** A folder gives its contents, a file itself: COPY's own rule. */
function copy(stage, words, from) {
  const to = inside(stage, words.at(-1))
  for (const source of words.slice(0, -1)) {
    const path = join(from, source)
    const into = words.at(-1).endsWith('/') ? join(to, basename(source)) : to
    cpSync(path, into, { recursive: true, verbatimSymlinks: true })
  }
}

function execute(stage, text, say) {
  if (/(^|\s)\//.test(text)) throw new Error(`RUN ${text} reaches outside of its folder`)
  say(`RUN ${text}`)
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, ...stage.env }
  execFileSync('sh', ['-c', text], { cwd: stage.folder, env, stdio: ['ignore', 2, 2] })
}

function inside(stage, path) {
  return path.startsWith('/') ? join(stage.root, path) : join(stage.folder, path)
}
