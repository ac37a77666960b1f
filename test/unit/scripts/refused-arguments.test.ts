import { type Command, CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { describeFullDisk } from '../../../pipeline/core/disk-full.ts'
import { describeError } from '../../../scripts/command-line/describe-error.ts'
import { buildProgram } from '../../../scripts/command-line/program.ts'
import { domain } from '../../../scripts/command-line/values.ts'

const uuid = '00000000-0000-4000-8000-000000000001'

/** Arguments that commands accept; commands not listed take none. */
const sound: Record<string, string[]> = {
  crawl: ['--domains', '-'],
  follow: ['https://registry.example'],
  world: ['--seed', '1', '--port', '0'],
  'log verify': ['https://registry.example'],
  verify: ['backup'],
  backup: ['folder'],
  restore: ['folder'],
  'org create': ['--name', 'Acme'],
  'org rename': ['--org', 'Acme', '--name', 'Acme Media'],
  'org delete': ['--org', 'Acme', '--confirm', 'Acme'],
  'org domain add': ['acme.example', '--org', 'Acme'],
  'org domain remove': ['acme.example', '--org', 'Acme'],
  'org user add': ['somebody', '--org', 'Acme', '--role', 'member'],
  'org user remove': ['somebody', '--org', 'Acme'],
  'org user list': ['--org', 'Acme'],
  'member create': ['--org', 'Acme'],
  'member set': ['--org', 'Acme'],
  'member agent add': ['https://a.example/mcp', '--org', 'Acme'],
  'member agent remove': ['https://a.example/mcp', '--org', 'Acme'],
  'key create': ['--org', 'Acme'],
  'key revoke': [uuid],
  'role grant': ['moderator', '--user', 'somebody'],
  'role revoke': ['moderator', '--user', 'somebody'],
  'review show': [uuid],
  'review approve': [uuid],
  'review reject': [uuid, '--notes', 'no'],
  'held release': ['acme.example'],
  'held drop': ['acme.example'],
  'policy publish': ['-'],
  merge: ['property', uuid, uuid],
  takedown: ['acme.example'],
  why: ['acme.example'],
  validate: ['-'],
  'agent test': ['https://agent.example/mcp'],
  'audit show': [uuid],
  'audit revert': [uuid],
}

interface Leaf {
  name: string
  command: Command
}

function listLeaves(command: Command, above: string[] = []): Leaf[] {
  if (command.commands.length === 0) return [{ name: above.join(' '), command }]
  return command.commands.flatMap(command => listLeaves(command, [...above, command.name()]))
}

/**
 * Parses arguments as typed. A command that begins to work would reach a store, so it counts as an error
 * here.
 */
async function parseTyped(args: readonly string[]): Promise<{ exitCode: number; said: string }> {
  const program = buildProgram()
  let said = ''
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)]
  for (const command of all(program)) {
    command.exitOverride().configureOutput({
      writeErr: text => {
        said += text
      },
      writeOut: () => undefined,
    })
    if (command.commands.length === 0) {
      command.action(() => {
        throw new Error('it was understood')
      })
    }
  }
  try {
    await program.parseAsync(['node', 'registry', ...args])
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { exitCode: error.exitCode, said }
  }
  throw new Error('it ended without a word')
}

async function expectRefusal(args: readonly string[], words: RegExp): Promise<void> {
  const { exitCode, said } = await parseTyped(args)
  expect(exitCode, said).toBe(1)
  const [sentence, hint, ...more] = said.trimEnd().split('\n')
  expect(sentence).toMatch(words)
  expect(sentence).toMatch(/^[A-Z].*[.?]$/)
  expect(hint).toMatch(/^Run `registry( [a-z]+)* --help` for usage\.$/)
  expect(more).toEqual([])
}

const leaves = listLeaves(buildProgram())

test('every command with arguments is tried with valid ones', () => {
  expect(leaves.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(sound)))
})

describe.each(leaves)('registry $name', ({ name, command }) => {
  const words = name.split(' ')
  const whole = [...words, ...(sound[name] ?? [])]

  test('accepts its arguments', async () => {
    await expect(parseTyped(whole)).rejects.toThrow('it was understood')
  })

  test('shows no empty default in its help', () => {
    expect(command.helpInformation()).not.toContain('default: []')
  })

  test('refuses an unknown option', async () => {
    await expectRefusal([...whole, '--nonsense'], /^Unknown option “--nonsense”\.$/)
  })

  test('refuses an extra argument', async () => {
    if (command.registeredArguments.at(-1)?.variadic) return
    await expectRefusal([...whole, 'acme.example'], /^Too many arguments/)
  })

  test('refuses missing required arguments', async () => {
    const needed = command.registeredArguments.filter(({ required }) => required)
    const options = whole.slice(words.length + needed.length)
    if (needed.length > 0) {
      await expectRefusal([...words, ...options], /^Missing required argument '\w+/)
    }
    for (const { mandatory, long } of command.options) {
      if (!mandatory) continue
      const at = whole.indexOf(long!)
      const rest = whole.toSpliced(at, 2)
      await expectRefusal(rest, new RegExp(`^Required option '${long} .*not specified`))
    }
  })

  test('refuses an empty text for each argument', async () => {
    for (const nothing of ['', ' ']) {
      for (const [i] of command.registeredArguments.entries()) {
        const place = words.length + i
        await expectRefusal(
          whole.toSpliced(place, 1, nothing),
          /^Invalid value “ ?” for <.+>: must /,
        )
      }
      for (const option of command.options.filter(option => option.required)) {
        const words = new RegExp(`^Invalid value “ ?” for .*${option.long} .*: must `)
        await expectRefusal([...whole, option.long!, nothing], words)
      }
    }
  })
})

test.each([
  [['audit', 'list', '--limit', '0'], /from 1 to 1000000/],
  [['audit', 'list', '--limit', '-1'], /from 1 to 1000000/],
  [['audit', 'list', '--limit', '1.5'], /from 1 to 1000000/],
  [['audit', 'list', '--limit', '1e3'], /from 1 to 1000000/],
  [['audit', 'list', '--since', 'yesterday'], /must be a time/],
  [['audit', 'list', '--since', '2026-13-01'], /must be a time/],
  [['audit', 'show', '7'], /must be an id that `audit list` prints/],
  [['world', '--port', '65536'], /from 0 to 65535/],
  [['world', '--seed', '0x10'], /whole number/],
  [['org', 'create', '--name', 'two\nlines'], /one line of text/],
  [['org', 'create', '--name', 'x'.repeat(201)], /at most 200 characters/],
  [['org', 'domain', 'add', 'localhost', '--org', 'Acme'], /must be a domain/],
  [['org', 'user', 'add', 'x', '--org', 'Acme', '--role', 'king'], /must be one of /],
  [['role', 'grant', 'king', '--user', 'x'], /must be moderator or admin\.$/],
  [['held', 'release', 'acme.example', 'no domain'], /must be a domain/],
  [['merge', 'brand', uuid, uuid], /must be property or collection\.$/],
  [['merge', 'property', 'a', uuid], /must be the registry ID \(rid\) of a record/],
  [['why', 'https://'], /must be a domain/],
  [['crawl', 'acme.example', 'no domain'], /must be a domain/],
  [['failures', '--limit', '0'], /must be a whole number from 1/],
  [['top', '--interval', '-1'], /must be a whole number from 1/],
  [['takedown', 'https://'], /must be a domain/],
  [['takedown', 'acme.example', '--undo', '--dry-run'], /cannot be used with/],
  [['nonsense'], /^Unknown command “nonsense”\.$/],
  [['statsu'], /^Unknown command “statsu”\. Did you mean .*status.*\?$/],
  [['status', '--jsno'], /^Unknown option “--jsno”\. Did you mean --json\?$/],
  [
    ['why', 'no domain'],
    /^Invalid value “no domain” for <domain>: must be a domain, such as acme\.example\.$/,
  ],
  [['why', 'no\ndomain'], /^Invalid value “no\uFFFDdomain” for <domain>: must be a domain/],
  [['org', 'nonsense'], /^Unknown command “nonsense”\.$/],
] as [string[], RegExp][])('registry %j is refused with a reason', async (args, words) => {
  await expectRefusal(args, words)
})

test.each(['Acme.Example.', 'https://acme.example/', 'HTTPS://acme.example/about?page=1'])(
  'a domain is read as the API reads it: %s',
  typed => {
    expect(domain(typed)).toBe('acme.example')
  },
)

test('a text that has another form than expected ends a command with one sentence', () => {
  const { error } = z.object({ files: z.array(z.int()) }).safeParse({ files: ['a', 'b'] })
  expect(describeError(error)).toMatch(
    /^The input does not have the expected form: files\.0: .+\.$/,
  )
  expect(describeError(new Error('no'))).toBe('No.')
})

test('a full disk ends a command with one sentence, whichever store met it', () => {
  const full = 'The disk is full: free some space, then run this again.'
  expect(describeError(new Error('put: No space left on device'))).toBe(full)
  expect(describeError(new Error('lost', { cause: new Error('database or disk is full') }))).toBe(
    full,
  )
  const written = Object.assign(new Error('no'), { code: 'ENOSPC', path: '/data/seals' })
  for (const error of [written, new Error('lost', { cause: written })])
    expect(describeError(error)).toBe(
      'The disk of /data/seals is full: free some space, then run this again.',
    )
  const known = Object.assign(new Error(describeFullDisk('/data')), { code: 'ENOSPC' })
  expect(describeError(known)).toBe(
    'The disk of /data is full: free some space, then run this again.',
  )
})
