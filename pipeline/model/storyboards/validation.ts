import { z } from 'zod'

/** A path in a payload: `products[0].name`; `[*]` stands for every item of a list, at least one. */
export const Path = z
  .string()
  .regex(
    /^[a-z_$]\w*(\[(\d{1,3}|\*)\])*(\.(\d{1,3}|[a-z_]\w*(\[(\d{1,3}|\*)\])*))*$/i,
    'must be a path',
  )

const description = z.string().trim().max(2_000).optional().describe('What the check tests')
const path = Path
const value = z.unknown().refine(expected => expected !== undefined, 'is missing')
const allowed = {
  value: z.unknown().optional(),
  allowed_values: z.array(z.unknown()).min(1).optional(),
}
const hasExpectation = (check: { value?: unknown; allowed_values?: unknown }) =>
  check.value !== undefined || check.allowed_values !== undefined
const noExpectation = { error: 'must have value or allowed_values' }
const contextKey = z.string().min(1).max(100)

const define = <Kind extends string, Fields extends z.ZodRawShape>(kind: Kind, fields: Fields) =>
  z.object({ check: z.literal(kind), ...fields, description })
const expecting = <Kind extends string>(kind: Kind) =>
  define(kind, { path, ...allowed }).refine(hasExpectation, noExpectation)

/** Place of one side of `refs_resolve`: in this answer, or in values of earlier ones. */
const RefPlace = z.object({ from: z.enum(['current_step', 'context']), path: Path })

/** A member that the payload of a call upstream must have. */
const UpstreamMember = z.object({
  path: z.string().max(300),
  match: z.enum(['present', 'equals', 'contains_any']),
  value: z.unknown().optional(),
  allowed_values: z.array(z.unknown()).optional(),
})

const known = [
  define('response_schema', {}),
  define('field_present', { path }),
  define('field_absent', { path }),
  expecting('field_value'),
  expecting('field_value_or_absent'),
  // A list that contains the value, or a text that contains it; or any of the values at `[*]`.
  expecting('field_contains'),
  define('field_less_than', { path, value: z.number() }),
  define('field_equals_context', { path, context_key: contextKey }),
  // Without an expectation any code will do.
  define('error_code', allowed),
  define('envelope_field_present', { path }),
  define('envelope_field_absent', { path }),
  expecting('envelope_field_value'),
  expecting('envelope_field_value_or_absent'),
  define('http_status', { value: z.int() }),
  define('http_status_in', { allowed_values: z.array(z.int()).min(1) }),
  define('on_401_require_header', { value: z.string().min(1).max(100) }),
  define('resource_equals_agent_url', {}),
  define('any_of', { allowed_values: z.array(z.string()).min(1) }),
  define('refs_resolve', {
    source: RefPlace,
    target: RefPlace,
    match_keys: z.array(z.string()).min(1),
    scope: z.object({ key: z.string(), equals: z.string() }).optional(),
    on_out_of_scope: z.enum(['warn', 'ignore', 'fail']).default('warn'),
  }),
  // A purchase is accepted exactly if its packages choose formats of their products; the path is in the request.
  define('canonical_format_satisfaction', { value: z.boolean(), path: Path.optional() }),
  // Calls of the agent to other platforms, since the step or an earlier one.
  define('upstream_traffic', {
    min_count: z.int().nonnegative().default(1),
    endpoint_pattern: z.string().max(500).optional(),
    payload_must_contain: z.array(UpstreamMember).default([]),
    identifier_paths: z.array(Path).default([]),
    since: z.string().max(200).optional(),
  }),
] as const

const KnownValidation = z.discriminatedUnion('check', known)
export type Validation = z.infer<typeof KnownValidation>
export type CheckKind = Validation['check']

/** Kinds of checks that the registry can do. */
export const checkKinds: ReadonlySet<string> = new Set(
  known.flatMap(option => [...option.shape.check.values]),
)

/** A check of a kind that the registry cannot do, such as one of a newer bundle. */
const UnknownValidation = z
  .looseObject({ check: z.string().max(100), description, value: value.optional() })
  .refine(({ check }) => !checkKinds.has(check))
  .transform(({ check, description }) => ({
    check: 'unknown' as const,
    kind: check,
    ...(description !== undefined && { description }),
  }))
export type UnknownValidation = z.infer<typeof UnknownValidation>

/** Checks of one answer. */
export const Validation = z.union([KnownValidation, UnknownValidation])
