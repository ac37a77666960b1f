import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'
import { z } from 'zod'
import { Storyboard, StoryboardHead } from '../model/storyboards/storyboard.ts'

/** Members of a storyboard that lists need; the others, among them all steps, take long to parse. */
const headMembers = [
  'id',
  'version',
  'title',
  'category',
  'summary',
  'track',
  'introduced_in',
  'required_tools',
  'requires_scenarios',
  'default_agent',
  'agent',
] as const satisfies (keyof StoryboardHead)[]
const MEMBER = /^([a-z_]\w*):/gm
/** Lines of phases that begin one, name the task of a step, or the one that stands in for it; found in one pass. */
const PHASE_LINES =
  /^(?: {0,2}- (?<phase>id):| +(?:- )?task: *["']?(?<task>\$?[\w.]+)| +task_default: *["']?(?<other>\w+))/gm

/** Facts of a storyboard that are known before its steps are parsed. */
export interface StoryboardSummary extends StoryboardHead {
  phase_count: number
  step_count: number
  /** Names of the tasks of its steps. */
  tasks: string[]
}

/** Aliases in a document: each may stand for others, so that a few lines name more values than fit into memory. */
const ALIASES_MAX = 100
const VALUES_MAX = 200_000

const SCHEMA = CORE_SCHEMA.withTags(mergeTag)

/** Parses YAML in a third of the time that the library `yaml` takes (64 heads: 20 ms, there 65 ms). */
function parse(text: string): unknown {
  const value = load(text, { schema: SCHEMA, maxAliases: ALIASES_MAX })
  assertBounded(value)
  return value
}

/** Throws where a value has too many members, those that it has several times counted as often. */
function assertBounded(value: unknown): void {
  let count = 0
  const waiting = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const members = Object.values(next)
    count += members.length
    if (count > VALUES_MAX) throw new Error('it has too many values')
    waiting.push(...members)
  }
}

/** Reads a storyboard; the faults are sentences about its members. */
export function parseStoryboard(text: string): { storyboard: Storyboard } | { faults: string[] } {
  const read = Storyboard.safeParse(nameAsOurs(parse(text)))
  if (read.success) return { storyboard: read.data }
  const faults = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return { faults }
}

/**
 * Reads the head of a storyboard, and counts its steps by their lines: a hundredth of the work of parsing
 * it. Undefined where the text is another document, without steps.
 */
export function summarizeStoryboard(text: string): StoryboardSummary | undefined {
  const members = splitMembers(text)
  const phases = members.get('phases')
  if (phases === undefined) return undefined
  const head = headMembers.map(name => members.get(name) ?? '').join('')
  const read = StoryboardHead.safeParse(nameAsOurs(parse(head)))
  if (!read.success) return undefined
  const lines = Array.from(phases.matchAll(PHASE_LINES), ({ groups = {} }) => groups)
  const tasks = lines.flatMap(({ task }) => (task === undefined ? [] : toOwnName(task)))
  const others = lines.flatMap(({ other }) => other ?? [])
  return {
    ...read.data,
    phase_count: lines.filter(({ phase }) => phase !== undefined).length,
    step_count: tasks.length,
    tasks: [...new Set([...tasks, ...others])].filter(task => !task.startsWith('$')),
  }
}

/** Splits a document into the texts of its members. */
function splitMembers(text: string): Map<string, string> {
  const starts = [...text.matchAll(MEMBER)]
  return new Map(
    starts.map(({ index, 1: name = '' }, at) => [name, text.slice(index, starts[at + 1]?.index)]),
  )
}

/** Members whose text is the name of a task or of a field. */
const named = new Set(['task', 'task_default', 'path', 'required_tools', 'requires_tool'])

/** Replaces the public short name of the protocol in names of tasks and fields by `proto`, which ours have. */
function nameAsOurs(value: unknown, isName = false): unknown {
  if (typeof value === 'string') return isName ? toOwnName(value) : value
  if (Array.isArray(value)) return value.map(item => nameAsOurs(item, isName))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      toOwnName(key),
      nameAsOurs(member, named.has(key)),
    ]),
  )
}

function toOwnName(name: string): string {
  return name.replace(/(?<=^|[_.])adcp(?=$|[_.])/g, 'proto')
}

/** File in which a bundle describes a brand, or the help that a runner offers. */
const TestKit = z.object({
  id: z.string(),
  auth: z.object({ api_key: z.string().optional(), probe_task: z.string().optional() }).default({}),
  /** Present in a kit that describes the help of a runner in place of a brand. */
  applies_to: z.unknown().optional(),
})
export type TestKit = z.infer<typeof TestKit>

/** Reads a test kit; undefined where the text is none. */
export function parseTestKit(text: string): TestKit | undefined {
  return TestKit.safeParse(parse(text)).data
}
