import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../core/project-root.ts'
import {
  type Bundle,
  COMPLIANCE_TARGET,
  type ReferenceTenant,
  type Storyboard,
  type Track,
  tracks,
} from '../model/storyboards/storyboard.ts'
import type { AgentProfile } from '../model/storyboards/storyboard-result.ts'
import { addTarget, compareVersions } from '../model/storyboards/storyboard-target.ts'
import {
  parseStoryboard,
  parseTestKit,
  type StoryboardSummary,
  summarizeStoryboard,
  type TestKit,
} from './bundle-text.ts'
import { type BundleFolder, listInstalledBundles } from './bundles/bundle-folder.ts'
import { STORYBOARD_FILE } from './bundles/check-bundle.ts'
import { listFiles } from './bundles/list-files.ts'
import { type BundleSettings, chooseBundles } from './bundles/named-bundles.ts'
import { chooseTenant } from './reference-tenant.ts'
import { applyProtocolName } from './references.ts'

/** A storyboard as lists show it. */
export interface CatalogEntry {
  storyboard: StoryboardSummary & { track: Track }
  bundle: Bundle
  /** Tenant of the reference agent that it is compared with. */
  tenant: ReferenceTenant
  source: BundleFolder
  file: string
}

/** A storyboard that can be run. */
export interface RunnableStoryboard extends Storyboard {
  track: Track
  tenant: ReferenceTenant
  source: BundleFolder
}

/**
 * Lists the storyboards of a folder by their ids: `universal/ID.yaml`, and whatever is below
 * `protocols/PROTOCOL` and `specialisms/SPECIALISM`. Only their heads are read.
 */
export function indexStoryboards(source: BundleFolder): CatalogEntry[] {
  return listFiles(source.folder)
    .filter(({ path, isPlain }) => isPlain && STORYBOARD_FILE.test(path))
    .flatMap(({ path }) => indexStoryboard(source, path) ?? [])
}

function indexStoryboard(source: BundleFolder, name: string): CatalogEntry | undefined {
  const file = join(source.folder, name)
  const summary = summarizeStoryboard(readFileSync(file, 'utf8'))
  if (summary === undefined) return undefined
  const bundle = toBundle(name.split('/'))
  const protocol = findProtocol(bundle, source)
  const tenant = chooseTenant(summary, bundle, protocol)
  const track = summary.track ?? tracks.find(name => name === protocol) ?? 'core'
  return { storyboard: { ...nameTarget(summary, source), track }, bundle, tenant, source, file }
}

/** Names the target in the id of a storyboard, and in those of its scenarios. */
function nameTarget<Named extends { id: string; requires_scenarios: string[] }>(
  storyboard: Named,
  { target }: BundleFolder,
): Named {
  const requires_scenarios = storyboard.requires_scenarios.map(id => addTarget(id, target))
  return { ...storyboard, id: addTarget(storyboard.id, target), requires_scenarios }
}

function toBundle([kind, id = '']: string[]): Bundle {
  if (kind === 'universal') return { kind, id: kind }
  return kind === 'protocols'
    ? { kind: 'domain', id: id.replaceAll('-', '_') }
    : { kind: 'specialism', id }
}

/** Finds the protocol that a bundle is a part of; undefined for one that is for every agent. */
function findProtocol({ kind, id }: Bundle, { specialisms }: BundleFolder): string | undefined {
  if (kind === 'universal') return undefined
  return kind === 'domain' ? id : specialisms.get(id)?.replaceAll('-', '_')
}

/** Reads the steps of a storyboard. Throws where it does not match the schema. */
export function readStoryboard({
  file,
  tenant,
  source,
  storyboard: { track },
}: CatalogEntry): RunnableStoryboard {
  const read = parseStoryboard(readFileSync(file, 'utf8'))
  if ('faults' in read) {
    throw new Error(`the storyboard ${file} is invalid:\n${read.faults.join('\n')}`)
  }
  return { ...nameTarget(read.storyboard, source), track, tenant, source }
}

const KIT = /^test-kits\/[\w-]+\.yaml$/

/** Reads the test kit that a storyboard names; undefined where it needs none. */
export function readKit({ prerequisites, source }: RunnableStoryboard): TestKit | undefined {
  const { test_kit } = prerequisites
  if (test_kit === undefined || !KIT.test(test_kit)) return undefined
  return parseTestKit(readFileSync(join(source.folder, test_kit), 'utf8'))
}

let catalog: readonly CatalogEntry[] | undefined
let bundles: readonly BundleFolder[] | undefined

/** Lists the bundles in use, one a target; those of the installed package unless `openCatalog` found others. */
function listBundles(): readonly BundleFolder[] {
  bundles ??= listInstalledBundles()
  return bundles
}

/**
 * Adds the bundles that `STORYBOARDS` names to the catalog of this process. Returns sentences about those that
 * cannot be used.
 */
export function openCatalog(settings: BundleSettings): string[] {
  const chosen = chooseBundles(settings)
  bundles = chosen.bundles
  catalog = undefined
  return chosen.faults
}

/** Lists the targets of the storyboards, the newest first, each with its version of the protocol. */
export function listTargets(): { target: string; version: string }[] {
  return listBundles()
    .map(({ target, version }) => ({ target, version }))
    .sort((a, b) => compareVersions(a.target, b.target))
}

/** Lists the stable specialisms of all bundles, each with its protocol. */
export function listSpecialisms(): ReadonlyMap<string, string> {
  return new Map(listBundles().flatMap(({ specialisms }) => [...specialisms]))
}

/** Finds the version that a target is tested by; undefined where no bundle of it is left. */
export function findVersion(target: string): string | undefined {
  return listTargets().find(known => known.target === target)?.version
}

/** Lists the storyboards of the registry; their heads are read once. One of the protocol’s own goes before ours. */
export function listStoryboards(): readonly CatalogEntry[] {
  catalog ??= readCatalog()
  return catalog
}

function readCatalog(): CatalogEntry[] {
  const ours = listBundles()
    .filter(({ target }) => target === COMPLIANCE_TARGET)
    .map(bundle => ({ ...bundle, folder: join(projectRoot, 'data', 'storyboards') }))
  const entries = new Map<string, CatalogEntry>()
  for (const entry of [...listBundles(), ...ours].flatMap(indexStoryboards)) {
    if (!entries.has(entry.storyboard.id)) entries.set(entry.storyboard.id, entry)
  }
  return [...entries.values()].sort((a, b) => (a.storyboard.id < b.storyboard.id ? -1 : 1))
}

/** Finds a storyboard by its id, without its steps. */
export function findEntry(id: string): CatalogEntry | undefined {
  return listStoryboards().find(({ storyboard }) => storyboard.id === id)
}

/** Finds a storyboard by its id. */
export function findStoryboard(id: string): RunnableStoryboard | undefined {
  const entry = findEntry(id)
  return entry && readStoryboard(entry)
}

/** Finds a storyboard by its id, with its tasks named as agents of this protocol name them. */
export function findStoryboardFor(
  id: string,
  protocolName: string,
): RunnableStoryboard | undefined {
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
  if (listSpecialisms().has(text)) return true
  return listStoryboards().some(
    ({ storyboard: { required_tools, tasks }, bundle }) =>
      bundle.id === text ||
      [...required_tools, ...tasks].some(name => applyProtocolName(name, protocolName) === text),
  )
}

/**
 * Lists the storyboards for an agent: those for every agent, and those of the protocols and
 * specialisms that it claims, as far as it offers one of the tasks that they need.
 */
export function listApplicable(
  { tools, supported_protocols = [], specialisms = [], adcp_version, ...profile }: AgentProfile,
  protocolName: string,
): CatalogEntry[] {
  const targets = chooseTargets(profile)
  const offered = new Set(tools)
  const claims = { universal: ['universal'], domain: supported_protocols, specialism: specialisms }
  return listStoryboards().filter(
    ({ storyboard: { required_tools, introduced_in }, bundle, source }) =>
      targets.includes(source.target) &&
      claims[bundle.kind].includes(bundle.id) &&
      isOfMajor(introduced_in, adcp_version) &&
      offersAny(offered, required_tools, protocolName),
  )
}

/** Tells whether an agent offers one of the tasks that a storyboard needs, if it needs any. */
export function offersAny(
  tools: ReadonlySet<string>,
  required: readonly string[],
  protocolName: string,
): boolean {
  return (
    required.length === 0 || required.some(name => tools.has(applyProtocolName(name, protocolName)))
  )
}

/**
 * Chooses the targets by which an agent is tested: those that it says it speaks, as far as there are storyboards;
 * where it names none of these, that of the installed package.
 */
export function chooseTargets({
  adcp_supported_versions = [],
}: Pick<AgentProfile, 'adcp_supported_versions'>): string[] {
  const spoken = adcp_supported_versions.map(version => /^v?(\d+\.\d+)/.exec(version)?.[1])
  const targets = listTargets().flatMap(({ target }) => (spoken.includes(target) ? target : []))
  return targets.length > 0 ? targets : [COMPLIANCE_TARGET]
}

function isOfMajor(introducedIn: string | undefined, agentVersion: string | undefined): boolean {
  if (introducedIn === undefined || agentVersion === undefined) return true
  return Number(introducedIn.split('.')[0]) <= Number(agentVersion.slice(1))
}
