import { randomUUID } from 'node:crypto'
import { DAY, toIso } from '../core/clock.ts'
import type { StepResult } from '../model/storyboards/storyboard-result.ts'
import { MemoryReplayStore } from '../signing/replay-store.ts'
import type { TestKit } from './bundle-text.ts'
import type { RunnableStoryboard } from './catalog.ts'
import type { RunContext } from './references.ts'
import { findShiftMs } from './shift-dates.ts'
import type { WebhookInbox } from './webhook-inbox.ts'

/** Prefix of what was made for a run, among the values that steps hand on. */
const MADE = '#'
/** Moment at which the run began, to which its requests are relative. */
const STARTED_AT = `${MADE}started_at`
const CONTRIBUTED = `${MADE}contributed:`
const PASSED = `${MADE}passed:`
/** A run that is walked through step by step takes no longer. */
const GOES_ON_MS = 7 * DAY

/** State of a run between two steps. */
export interface RunState {
  storyboard: RunnableStoryboard
  context: RunContext & { values: Map<string, unknown> }
  /** Names of the agent's tools. */
  tools: ReadonlySet<string>
  /** Address of the agent that is tested. */
  agentUrl: string
  kit: TestKit | undefined
  /** Time by which dates of requests are moved, so that a purchase does not begin in the past. */
  shiftMs: number
  /** True if a stateful step did not pass, so that later stateful steps are skipped. */
  hasBrokenState: boolean
  /** Phases of which not every step passed. */
  brokenPhases: Set<string>
  /** True once a phase was run that is one of several ways to do what is demanded. */
  hasTriedBranch: boolean
  /** Answers to requests of documents, by the task of the step. */
  documents: Map<string, unknown>
  /** Last status of each thing that answers told of. */
  statuses: Map<string, string>
  /** Time at which each step was asked, and scenarios of the agent’s test controller once they were read. */
  requestedAt: Map<string, number>
  scenarios?: unknown
  /** Steps whose task was only submitted. */
  submitted: Set<string>
  /** Signatures that were seen during the run. */
  replays: MemoryReplayStore
  /** Receives webhooks; absent where no agent could reach it. */
  inbox?: WebhookInbox
  /** Plans that were denied where the storyboard did not expect it. */
  deniedPlans: Set<string>
}

/** Facts that a run starts from, or continues with. */
export interface RunStart {
  tools: ReadonlySet<string>
  agentUrl: string
  startedAt: number
  protocolName: string
  kit?: TestKit | undefined
  /** Values that earlier steps put out. */
  context?: Readonly<Record<string, unknown>>
}

/** Creates the state of a run that starts, or continues with values of earlier steps. */
export function createState(storyboard: RunnableStoryboard, start: RunStart): RunState {
  const { tools, agentUrl, startedAt, protocolName, kit, context = {} } = start
  const values = new Map(Object.entries(context))
  const began = Date.parse(String(values.get(STARTED_AT)))
  // Callers hand it on, and may have changed it.
  const goesOn = Math.abs(began - startedAt) < GOES_ON_MS
  if (!goesOn) values.set(STARTED_AT, toIso(startedAt))
  const generate = (name: string) => {
    const known = values.get(`${MADE}${name}`)
    const id = typeof known === 'string' ? known : randomUUID()
    if (name !== '') values.set(`${MADE}${name}`, id)
    return id
  }
  const runStart = goesOn ? began : startedAt
  return {
    storyboard,
    context: { values, generate, startedAt: runStart, protocolName },
    tools,
    agentUrl,
    kit,
    shiftMs: findShiftMs(storyboard, runStart),
    hasBrokenState: false,
    brokenPhases: new Set(),
    hasTriedBranch: false,
    documents: new Map(),
    statuses: new Map(),
    deniedPlans: new Set(),
    submitted: new Set(),
    requestedAt: new Map(),
    replays: new MemoryReplayStore(),
  }
}

/** Names the step that did what a flag stands for; undefined where none did. */
export function findContributor({ context }: RunState, flag: string): string | undefined {
  const step = context.values.get(`${CONTRIBUTED}${flag}`)
  return typeof step === 'string' ? step : undefined
}

/** Records that a step passed, and the flag that it stands for. */
export function recordPassed({ context: { values } }: RunState, step: string, flag?: string): void {
  values.set(`${PASSED}${step}`, true)
  const key = `${CONTRIBUTED}${flag}`
  if (flag !== undefined && !values.has(key)) values.set(key, step)
}

export function hasPassed({ context: { values } }: RunState, step: string): boolean {
  return values.get(`${PASSED}${step}`) === true
}

/** Tells whether a step was run with a result, good or bad. */
export function hasRun({ passed }: Pick<StepResult, 'passed'>): boolean {
  return passed !== null
}
