import { z } from 'zod'
import { Path, Validation } from './validation.ts'

/** Version of the protocol for which agents are tested by default, and its target; the installed bundle’s. */
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
  'campaign_governance',
  'brand',
  'si',
  'security',
  'security_transport',
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
export type ReferenceTenant = (typeof referenceTenants)[number]

/** Ids of storyboards may have several parts: `media_buy_seller/refine_products`. */
const Id = z
  .string()
  .max(200)
  .regex(/^[a-z][\w-]*(\/[\w-]+)*$/i, 'must be letters, digits, _ and -')
const line = z.string().trim().min(1).max(500)
const prose = z.string().trim().min(1).max(10_000)

/** Name of a task, or of a field of the test kit that names one. */
const Task = z
  .string()
  .max(200)
  .regex(/^(\$test_kit(\.\w+)+|[a-z]\w*)$/, 'must be the name of a task')

/** A value that a step hands on: read from its answer, or made up. */
const ContextOutput = z
  .object({
    name: z.string().optional(),
    key: z.string().optional(),
    path: Path.optional(),
    generate: z.enum(['uuid_v4', 'opaque_id']).optional(),
  })
  .transform(({ name, key, ...more }) => ({ name: name ?? key ?? '', ...more }))
  .refine(({ name }) => name !== '', 'must have a name')
  .refine(({ path, generate }) => (path === undefined) !== (generate === undefined), {
    error: 'must have either path or generate',
  })

/** Credentials of a step that is not sent with those of the agent. */
const StepAuth = z.union([
  z.literal('none'),
  z.object({
    type: z.enum(['api_key', 'oauth_bearer']),
    from_test_kit: z.union([z.boolean(), z.string()]).optional(),
    value_strategy: z.enum(['random_invalid', 'random_invalid_jwt']).optional(),
  }),
])
export type StepAuth = z.infer<typeof StepAuth>

export const StoryboardStep = z
  .object({
    id: Id,
    title: line,
    /** Name of a task; `get_proto_capabilities` stands for the protocol's own name of it. */
    task: Task,
    /** Task that is called where the test kit names none. */
    task_default: Task.optional(),
    narrative: prose.optional(),
    expected: prose.optional(),
    /** Later stateful steps build on it: they are skipped when it fails. */
    stateful: z.boolean().default(false),
    sample_request: z.record(z.string(), z.unknown()).default({}),
    /** Files of the schemas of the protocol. */
    schema_ref: z.string().max(300).optional(),
    response_schema_ref: z.string().max(300).optional(),
    /** Place in the documents of the protocol. */
    doc_ref: z.string().max(300).optional(),
    /** The agent must refuse the call. */
    expect_error: z.boolean().default(false),
    /** Kind of invalid request: one that breaks the schema, or a well-formed one. */
    negative_path: z.enum(['schema_invalid', 'payload_well_formed']).optional(),
    auth: StepAuth.optional(),
    /** Without it the step is skipped. */
    requires_tool: Task.optional(),
    /** Help that a runner must offer, such as a receiver of webhooks. */
    requires_contract: z.string().max(100).optional(),
    /** Step that makes the agent post the webhooks that this one waits for, how long, and what they must be. */
    triggered_by: Id.optional(),
    timeout_seconds: z.number().positive().max(90).default(30),
    expect_idempotency_key: z.boolean().default(true),
    webhook_payload_schema_ref: z.string().max(300).optional(),
    expect_max_deliveries_per_logical_event: z.int().positive().optional(),
    expect_min_deliveries: z.int().positive().max(10).default(1),
    verify_signature_on_every_delivery: z.boolean().default(true),
    /** Refuses the first of them, so that they are sent again. */
    retry_trigger: z
      .object({
        count: z.int().min(1).max(10),
        http_status: z.literal([429, 500, 502, 503, 504]).default(503),
      })
      .optional(),
    /** Steps of the phase that need not pass where this one does. */
    provides_state_for: z.union([Id.transform(id => [id]), z.array(Id)]).default([]),
    /** Flag that a later step may demand of one of several phases; `contributes`: that of the phase. */
    contributes: z.boolean().default(false),
    contributes_to: Id.optional(),
    contributes_if: z.string().max(300).optional(),
    /** Values of the answer that later steps use as `$context.NAME`. */
    context_outputs: z.array(ContextOutput).default([]),
    /** Values of earlier steps that go to a place of the request. */
    context_inputs: z.array(z.object({ key: z.string(), inject_at: Path })).default([]),
    validations: z.array(Validation).default([]),
  })
  .transform(step => ({ ...step, expected: step.expected ?? step.title }))
export type StoryboardStep = z.infer<typeof StoryboardStep>

export const StoryboardPhase = z.object({
  id: Id,
  title: line,
  narrative: prose.optional(),
  /** Phases that must have passed. */
  depends_on: z.array(Id).default([]),
  /** Failures in it do not count where another phase of its set does what is demanded. */
  optional: z.boolean().default(false),
  branch_set: z.object({ id: Id, semantics: z.literal('any_of') }).optional(),
  /** A field of the test kit by which the phase is skipped: `!test_kit.auth.api_key`. */
  skip_if: z.string().max(200).optional(),
  steps: z.array(StoryboardStep).default([]),
})
export type StoryboardPhase = z.infer<typeof StoryboardPhase>

/** Members of a storyboard that lists show, and by which it is for an agent or not. */
export const StoryboardHead = z.object({
  id: Id,
  version: z.string().max(50),
  title: line,
  category: z.string().max(200).default('general'),
  summary: line,
  narrative: prose.default('—'),
  track: z.enum(tracks).optional(),
  /** Version of the protocol that first had what it tests. */
  introduced_in: z.string().max(50).optional(),
  /** A value that the capabilities must not contradict. */
  requires_capability: z.object({ path: Path, equals: z.unknown() }).optional(),
  /** Tasks of which an agent must offer one. */
  required_tools: z.array(Task).default([]),
  /** Storyboards that are passed together with it. */
  requires_scenarios: z.array(Id).default([]),
  default_agent: z.string().max(100).optional(),
  agent: z
    .object({
      interaction_model: z.string().max(100).default('*'),
      capabilities: z.array(z.string().max(100)).default([]),
      examples: z.array(line).default([]),
    })
    .prefault({}),
  prerequisites: z
    .object({
      description: prose.optional(),
      test_kit: z.string().max(200).optional(),
      controller_seeding: z.boolean().default(false),
    })
    .prefault({}),
})
export type StoryboardHead = z.infer<typeof StoryboardHead>

const Fixture = z.record(z.string(), z.unknown())
/** Kinds of what an agent’s test controller is asked to have, in the order in which they build on each other. */
export const fixtureKinds = [
  'products',
  'pricing_options',
  'creatives',
  'creative_formats',
  'plans',
  'media_buys',
] as const

/** A storyboard, in the format of the protocol’s own. */
export const Storyboard = StoryboardHead.extend({
  fixtures: z.partialRecord(z.enum(fixtureKinds), z.array(Fixture)).default({}),
  phases: z.array(StoryboardPhase).min(1),
}).superRefine(checkReferences)
export type Storyboard = z.infer<typeof Storyboard>

/** Checks that phases and steps have ids of their own. */
function checkReferences({ phases }: { phases: StoryboardPhase[] }, ctx: z.RefinementCtx): void {
  const ids = new Set<string>()
  for (const [p, phase] of phases.entries()) {
    for (const name of phase.depends_on) {
      if (!phases.slice(0, p).some(({ id }) => id === name)) {
        const message = `${name} is not an earlier phase`
        ctx.addIssue({ code: 'custom', path: ['phases', p, 'depends_on'], message })
      }
    }
    for (const [s, { id }] of phase.steps.entries()) {
      const path = ['phases', p, 'steps', s]
      if (ids.has(id)) ctx.addIssue({ code: 'custom', path, message: `${id} is used twice` })
      ids.add(id)
    }
  }
}

/** Bundles of storyboards: for every agent, for a part of the protocol, or for a specialism. */
export const bundleKinds = ['universal', 'domain', 'specialism'] as const
export interface Bundle {
  kind: (typeof bundleKinds)[number]
  /** Name of the protocol or the specialism that an agent claims; `universal` for every agent. */
  id: string
}
