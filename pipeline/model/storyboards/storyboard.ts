import { z } from 'zod'

/** Version of the protocol for which the storyboards are written, and its target. */
export const STORYBOARD_PROTOCOL_VERSION = '3.0.6'
export const COMPLIANCE_TARGET = '3.0'

/** Parts of the protocol by which runs are summarized. */
export const tracks = [
  'core',
  'error_handling',
  'products',
  'media_buy',
  'creative',
  'reporting',
  'audiences',
  'signals',
  'governance',
  'brand',
] as const
export type Track = (typeof tracks)[number]

/** Tenants of the reference agent. */
export const referenceTenants = [
  'sales',
  'signals',
  'creative',
  'creative-builder',
  'governance',
  'brand',
] as const

const Id = z.string().regex(/^[a-z][a-z0-9_]*$/, 'must be lower-case letters, digits and _')
const line = z.string().trim().min(1).max(300)
const prose = z.string().trim().min(1).max(2_000)

/** A path in a payload: `products[0].name`; `[*]` stands for every item of a list, at least one. */
const Path = z
  .string()
  .regex(/^[a-z_]\w*(\[(\d{1,3}|\*)\])*(\.[a-z_]\w*(\[(\d{1,3}|\*)\])*)*$/i, 'must be a path')

const description = line.optional().describe('What the check tests')
const allowed = {
  value: z.unknown().optional(),
  allowed_values: z.array(z.unknown()).min(1).optional(),
}
/** Tells whether a check has an expectation: either one value or a list of them. */
const hasExpectation = (check: { value?: unknown; allowed_values?: unknown }) =>
  (check.value === undefined) !== (check.allowed_values === undefined)
const noExpectation = { error: 'must have either value or allowed_values' }

/** Checks of one answer. */
export const Validation = z.discriminatedUnion('check', [
  z.strictObject({ check: z.literal('field_present'), path: Path, description }),
  z.strictObject({ check: z.literal('field_absent'), path: Path, description }),
  z
    .strictObject({ check: z.literal('field_value'), path: Path, ...allowed, description })
    .refine(hasExpectation, noExpectation),
  /** A list that contains the value, or a text that contains it. */
  z.strictObject({
    check: z.literal('field_contains'),
    path: Path,
    value: z.unknown().refine(value => value !== undefined, 'is missing'),
    description,
  }),
  z.strictObject({
    check: z.literal('field_pattern'),
    path: Path,
    value: z.string().refine(isPattern, 'must be a regular expression'),
    description,
  }),
  z.strictObject({
    check: z.literal('field_greater_than'),
    path: Path,
    value: z.number(),
    description,
  }),
  z.strictObject({
    check: z.literal('field_less_than'),
    path: Path,
    value: z.number(),
    description,
  }),
  z.strictObject({
    check: z.literal('array_length'),
    path: Path,
    min: z.int().nonnegative().optional(),
    max: z.int().nonnegative().optional(),
    description,
  }),
  z
    .strictObject({ check: z.literal('error_code'), ...allowed, description })
    .refine(hasExpectation, noExpectation),
])
export type Validation = z.infer<typeof Validation>
export type CheckKind = Validation['check']

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}

export const StoryboardStep = z.strictObject({
  id: Id,
  title: line,
  /** Name of a task; `get_proto_capabilities` stands for the protocol's own name of it. */
  task: Id,
  narrative: prose.optional(),
  expected: prose,
  /** Later stateful steps build on it: they are skipped when it fails. */
  stateful: z.boolean().default(false),
  sample_request: z.record(z.string(), z.unknown()).default({}),
  /** The agent must refuse the call. */
  expect_error: z.boolean().default(false),
  /** Kind of invalid request: one that breaks the schema, or a well-formed one. */
  negative_path: z.enum(['schema_invalid', 'payload_well_formed']).optional(),
  /** Values of the answer that later steps use as `$context.NAME`. */
  context_outputs: z.array(z.strictObject({ name: Id, path: Path })).default([]),
  validations: z.array(Validation).min(1),
})
export type StoryboardStep = z.infer<typeof StoryboardStep>

export const StoryboardPhase = z.strictObject({
  id: Id,
  title: line,
  narrative: prose.optional(),
  /** Phases that must have passed. */
  depends_on: z.array(Id).default([]),
  steps: z.array(StoryboardStep).min(1),
})
export type StoryboardPhase = z.infer<typeof StoryboardPhase>

/** A storyboard as written in data/storyboards. */
export const Storyboard = z
  .strictObject({
    id: Id,
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    title: line,
    category: Id,
    summary: line,
    narrative: prose,
    track: z.enum(tracks),
    /** Tasks without which the storyboard does not apply to an agent. */
    required_tools: z.array(Id).default([]),
    default_agent: z.enum(referenceTenants),
    agent: z.strictObject({
      interaction_model: Id,
      capabilities: z.array(Id),
      examples: z.array(line).default([]),
    }),
    caller: z.strictObject({ role: Id, example: line.optional() }),
    prerequisites: z.strictObject({ description: prose }).optional(),
    phases: z.array(StoryboardPhase).min(1),
  })
  .superRefine(checkReferences)
export type Storyboard = z.infer<typeof Storyboard>

/** Values a request may name: `$context.NAME`, `$generate:uuid_v4#NAME` and `$time:+30d`. */
const SUBSTITUTION = /^\$(?:context\.([a-z]\w*)|generate:uuid_v4#[a-z]\w*|time:[+-]\d{1,3}[dh])$/

/** Checks that steps have ids of their own, and use only values of earlier steps. */
function checkReferences({ phases }: z.output<typeof PhasesOnly>, ctx: z.RefinementCtx): void {
  const ids = new Set<string>()
  const outputs = new Set<string>()
  const take = (id: string, path: PropertyKey[]) => {
    if (ids.has(id)) ctx.addIssue({ code: 'custom', path, message: `${id} is used twice` })
    ids.add(id)
  }
  for (const [p, phase] of phases.entries()) {
    for (const name of phase.depends_on) {
      if (!phases.slice(0, p).some(({ id }) => id === name)) {
        const message = `${name} is not an earlier phase`
        ctx.addIssue({ code: 'custom', path: ['phases', p, 'depends_on'], message })
      }
    }
    take(phase.id, ['phases', p])
    for (const [s, step] of phase.steps.entries()) {
      const path = ['phases', p, 'steps', s]
      take(step.id, path)
      for (const text of listSubstitutions([step.sample_request, step.validations])) {
        const [isKnown, name] = SUBSTITUTION.exec(text) ?? []
        if (isKnown && (name === undefined || outputs.has(name))) continue
        ctx.addIssue({ code: 'custom', path, message: `${text} is not a valid substitution` })
      }
      for (const { name } of step.context_outputs) outputs.add(name)
    }
  }
}
const PhasesOnly = z.object({ phases: z.array(StoryboardPhase) })

/** Lists the substitutions in a value. */
export function listSubstitutions(value: unknown): string[] {
  if (typeof value === 'string') return /^\$|\{\{/.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  const names = Array.isArray(value) ? [] : Object.keys(value)
  return [...names, ...Object.values(value)].flatMap(listSubstitutions)
}

/** Bundles of storyboards: for every agent, for a part of the protocol, or for a specialism. */
export const bundleKinds = ['universal', 'domain', 'specialism'] as const
export interface Bundle {
  kind: (typeof bundleKinds)[number]
  /** Name of the protocol or the specialism that an agent claims; `universal` for every agent. */
  id: string
}
