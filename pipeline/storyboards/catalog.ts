import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../core/project-root.ts'
import { specialisms } from '../model/badge.ts'
import { type Bundle, Storyboard } from '../model/storyboards/storyboard.ts'
import type { AgentProfile } from '../model/storyboards/storyboard-result.ts'
import { applyProtocolName } from './references.ts'

/** A storyboard and the bundle of its file. */
export interface CatalogEntry {
  storyboard: Storyboard
  bundle: Bundle
}

/**
 * Reads the storyboards of a folder, by their ids: `universal/ID.yaml`, `protocols/PROTOCOL/ID.yaml` and
 * `specialisms/SPECIALISM/ID.yaml`. Throws for a storyboard that does not match the schema, or whose file is
 * not named after its id.
 */
export function readStoryboards(folder: string): CatalogEntry[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter(name => name.endsWith('.yaml'))
    .map(name => readStoryboard(folder, name))
    .sort((a, b) => (a.storyboard.id < b.storyboard.id ? -1 : 1))
}

function readStoryboard(folder: string, name: string): CatalogEntry {
  const parts = name.split(/[\\/]/)
  const read = Storyboard.safeParse(
    parse(readFileSync(join(folder, name), 'utf8'), { merge: true }),
  )
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new Error(`the storyboard ${name} is invalid:\n${faults.join('\n')}`)
  }
  if (parts.at(-1) !== `${read.data.id}.yaml`) {
    throw new Error(`the storyboard ${name} has the id ${read.data.id}`)
  }
  return { storyboard: read.data, bundle: toBundle(parts) }
}

function toBundle([kind, id = '']: string[]): Bundle {
  if (kind === 'universal') return { kind, id: kind }
  return kind === 'protocols' ? { kind: 'domain', id } : { kind: 'specialism', id }
}

let catalog: readonly CatalogEntry[] | undefined

/** Lists the storyboards of the registry; they are read once. */
export function listStoryboards(): readonly CatalogEntry[] {
  catalog ??= readStoryboards(join(projectRoot, 'data', 'storyboards'))
  return catalog
}

/** Finds a storyboard by its id. */
export function findStoryboard(id: string): Storyboard | undefined {
  return listStoryboards().find(({ storyboard }) => storyboard.id === id)?.storyboard
}

/** Finds a storyboard by its id, with its tasks named as agents of this protocol name them. */
export function findStoryboardFor(id: string, protocolName: string): Storyboard | undefined {
  const storyboard = findStoryboard(id)
  if (storyboard === undefined) return undefined
  const toAgentName = (task: string) => applyProtocolName(task, protocolName)
  return {
    ...storyboard,
    required_tools: storyboard.required_tools.map(toAgentName),
    phases: storyboard.phases.map(phase => ({
      ...phase,
      steps: phase.steps.map(step => ({ ...step, task: toAgentName(step.task) })),
    })),
  }
}

/** Tells whether a text is the name of a task, a protocol or a specialism of the storyboards. */
export function isKnownName(text: string, protocolName: string): boolean {
  if (Object.hasOwn(specialisms, text)) return true
  return listStoryboards().some(
    ({ storyboard: { required_tools, phases }, bundle }) =>
      bundle.id === text ||
      [...required_tools, ...phases.flatMap(({ steps }) => steps.map(({ task }) => task))].some(
        name => applyProtocolName(name, protocolName) === text,
      ),
  )
}

/**
 * Lists the storyboards for an agent: those for every agent, and those of the protocols and
 * specialisms that it claims, as far as it offers the tasks that they need.
 */
export function listApplicable(
  { tools, supported_protocols = [], specialisms = [] }: AgentProfile,
  protocolName: string,
): CatalogEntry[] {
  const claims = { universal: ['universal'], domain: supported_protocols, specialism: specialisms }
  return listStoryboards().filter(
    ({ storyboard, bundle }) =>
      claims[bundle.kind].includes(bundle.id) &&
      storyboard.required_tools.every(name =>
        tools.includes(applyProtocolName(name, protocolName)),
      ),
  )
}
