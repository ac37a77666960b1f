import { z } from 'zod'
import { AsWritten } from './adagents.ts'
import { agentTypes } from './vocabulary.ts'

const text = z.string()
const texts = z.array(text)

export const agentProtocols = ['mcp', 'a2a'] as const
export type AgentProtocol = (typeof agentProtocols)[number]

/** `unknown` if neither a declaration nor a tool indicates the type. */
export const AgentTypeOrUnknown = z.enum([...agentTypes, 'unknown'])
export type AgentTypeOrUnknown = z.infer<typeof AgentTypeOrUnknown>

export const AgentTool = z.object({
  name: text,
  description: text.exactOptional(),
  /** Schema as written; left out when it is large. */
  input_schema: AsWritten.exactOptional(),
})
export type AgentTool = z.infer<typeof AgentTool>

export const Accreditation = z.object({
  accrediting_body: text.describe('Body that accredited the metric, according to the agent'),
  certification_id: text.exactOptional().describe('ID of the certificate that the body issued'),
  valid_until: text.exactOptional().describe('Expiry of the accreditation, according to the agent'),
  evidence_url: text.exactOptional().describe('URL of a page that confirms the accreditation'),
  verified_by_aao: z
    .literal(false)
    .describe('Always false: the registry does not check the agent’s claims'),
})

export const Metric = z.object({
  metric_id: text.describe('ID that the agent gives the metric'),
  standard_reference: text.exactOptional().describe('Standard that the metric follows'),
  accreditations: z
    .array(Accreditation)
    .exactOptional()
    .describe('Accreditations that the agent claims for the metric'),
  unit: text.exactOptional().describe('Unit of the metric, such as `seconds`'),
  description: text.exactOptional().describe('What the metric measures, in the agent’s words'),
  methodology_url: text
    .exactOptional()
    .describe('URL of a page that describes how the metric is measured'),
  methodology_version: text.exactOptional().describe('Version of the measurement method'),
})

export const MeasurementCapabilities = z.object({ metrics: z.array(Metric).min(1) })
export type MeasurementCapabilities = z.infer<typeof MeasurementCapabilities>

/** Answer of the agent's capabilities task, as far as the registry reads it. */
export const AgentCapabilities = z.object({
  supported_protocols: texts,
  /** Channels and countries that it claims to cover. */
  supported_channels: texts,
  markets: texts,
  /** True if it supports the Trusted Match Protocol. */
  has_tmp: z.boolean(),
  description: text.exactOptional(),
  supported_formats: z.array(AsWritten).exactOptional(),
  audience_types: texts.exactOptional(),
  /** Publishers of its portfolio: a claim. */
  publisher_domains: texts.exactOptional(),
  /** Absent if there is none, or if any part of it is invalid. */
  measurement: MeasurementCapabilities.exactOptional(),
})
export type AgentCapabilities = z.infer<typeof AgentCapabilities>

/** Summary of a seller's products, each list sorted. */
export const AgentProducts = z.object({
  delivery_types: texts,
  channels: texts,
  markets: texts,
  format_kinds: texts,
})
export type AgentProducts = z.infer<typeof AgentProducts>

/** The card with which A2A describes an agent. */
export const AgentCard = z.object({
  name: text.exactOptional(),
  description: text.exactOptional(),
  url: text.exactOptional(),
})
export type AgentCard = z.infer<typeof AgentCard>

/** Parts that are requested separately, and can fail separately. */
export const agentParts = [
  'capabilities',
  'formats',
  'claims',
  'products',
  'resources_count',
  'card',
] as const

/** Result of a probe, part by part. */
export const AgentParts = z.object({
  /** Address at which it answered over MCP. */
  endpoint: text.exactOptional(),
  server_name: text.exactOptional(),
  tools: z.array(AgentTool),
  capabilities: AgentCapabilities.exactOptional(),
  /** Answer of its format listing, each format with its `format_id`. */
  formats: z.array(AsWritten).exactOptional(),
  /** Publishers whose properties it claims to sell. */
  claims: texts.exactOptional(),
  /** Summary of its products, as returned for a request for everything without a credential. */
  products: AgentProducts.exactOptional(),
  /** Number of its resources over MCP; absent if it does not declare any. */
  resources_count: z.int().nonnegative().exactOptional(),
  card: AgentCard.exactOptional(),
  /** True if a part of it requires a credential. */
  needs_auth: z.boolean(),
  /** Parts that could not be read this time; their content is from before. */
  unread: z.array(z.enum(agentParts)),
})
export type AgentParts = z.infer<typeof AgentParts>

const flag = z.boolean()

/** Operations an agent offers, by the names of its tools. */
export const AgentOperations = z.object({
  standard: z.object({
    can_search_inventory: flag,
    can_get_availability: flag,
    can_reserve_inventory: flag,
    can_get_pricing: flag,
    can_create_order: flag,
    can_list_properties: flag,
  }),
  creative: z.object({ can_generate: flag, can_validate: flag, can_preview: flag }),
  signals: z.object({ can_match: flag, can_activate: flag, can_get_signals: flag }),
})
export type AgentOperations = z.infer<typeof AgentOperations>

/** A live agent's description of itself when it was probed. */
export const AgentDocument = AgentParts.extend({
  variant: z.literal('agent'),
  protocols: z.array(z.enum(agentProtocols)).min(1),
  name: text.exactOptional(),
  description: text.exactOptional(),
  /** Established type: the first that its tools indicated; later tools do not change it. */
  type: AgentTypeOrUnknown,
  /** Type that its tools indicate now. */
  inferred_type: AgentTypeOrUnknown,
  operations: AgentOperations,
  /** Kinds of formats that its capabilities, formats and products name; sorted. */
  format_kinds: texts,
})
export type AgentDocument = z.infer<typeof AgentDocument>
