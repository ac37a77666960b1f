import { z } from 'zod'
import { AsWritten } from './documents-adagents.ts'
import { agentTypes } from './documents-vocabulary.ts'

const text = z.string()
const texts = z.array(text)

export const agentProtocols = ['mcp', 'a2a'] as const
export type AgentProtocol = (typeof agentProtocols)[number]

/** A type that nobody told and no tool tells is `unknown`. */
export const AgentTypeOrUnknown = z.enum([...agentTypes, 'unknown'])
export type AgentTypeOrUnknown = z.infer<typeof AgentTypeOrUnknown>

export const AgentTool = z.object({
  name: text,
  description: text.exactOptional(),
  /** As written; left out when it is large. */
  input_schema: AsWritten.exactOptional(),
})
export type AgentTool = z.infer<typeof AgentTool>

export const Accreditation = z.object({
  accrediting_body: text,
  certification_id: text.exactOptional(),
  valid_until: text.exactOptional(),
  evidence_url: text.exactOptional(),
  /** The agent's own claim, that nobody has checked. */
  verified_by_aao: z.literal(false),
})

export const Metric = z.object({
  metric_id: text,
  standard_reference: text.exactOptional(),
  accreditations: z.array(Accreditation).exactOptional(),
  unit: text.exactOptional(),
  description: text.exactOptional(),
  methodology_url: text.exactOptional(),
  methodology_version: text.exactOptional(),
})

export const MeasurementCapabilities = z.object({ metrics: z.array(Metric).min(1) })
export type MeasurementCapabilities = z.infer<typeof MeasurementCapabilities>

/** What the agent's capabilities task answered, as far as the registry reads it. */
export const AgentCapabilities = z.object({
  supported_protocols: texts,
  /** Channels and countries it says it covers. */
  supported_channels: texts,
  markets: texts,
  /** Whether it speaks trusted match. */
  has_tmp: z.boolean(),
  description: text.exactOptional(),
  supported_formats: z.array(AsWritten).exactOptional(),
  audience_types: texts.exactOptional(),
  /** Publishers of its portfolio: a claim. */
  publisher_domains: texts.exactOptional(),
  /** Absent when it is none, or when any of it breaks a rule. */
  measurement: MeasurementCapabilities.exactOptional(),
})
export type AgentCapabilities = z.infer<typeof AgentCapabilities>

/** The card by which the second transport describes an agent. */
export const AgentCard = z.object({
  name: text.exactOptional(),
  description: text.exactOptional(),
  url: text.exactOptional(),
})
export type AgentCard = z.infer<typeof AgentCard>

/** Parts that are asked for apart, and can fail apart. */
export const agentParts = ['capabilities', 'formats', 'claims', 'card'] as const
export type AgentPart = (typeof agentParts)[number]

/** What a probe brought, part by part. */
export const AgentParts = z.object({
  /** Where it answered over MCP. */
  endpoint: text.exactOptional(),
  server_name: text.exactOptional(),
  tools: z.array(AgentTool),
  capabilities: AgentCapabilities.exactOptional(),
  /** What its format listing answered, each with its `format_id`. */
  formats: z.array(AsWritten).exactOptional(),
  /** Publishers whose properties it says it may sell. */
  claims: texts.exactOptional(),
  card: AgentCard.exactOptional(),
  /** A part of it wants a credential. */
  needs_auth: z.boolean(),
  /** Parts that it offers and that could not be read this time; what is there is from before. */
  unread: z.array(z.enum(agentParts)),
})
export type AgentParts = z.infer<typeof AgentParts>

const flag = z.boolean()

/** What can be done with an agent, by the names of its tools. */
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

/** What a live agent said of itself when it was probed. */
export const AgentDocument = AgentParts.extend({
  variant: z.literal('agent'),
  protocols: z.array(z.enum(agentProtocols)).min(1),
  name: text.exactOptional(),
  description: text.exactOptional(),
  /** What it counts as: what its tools said first; told otherwise later, it stays. */
  type: AgentTypeOrUnknown,
  /** What its tools say now. */
  inferred_type: AgentTypeOrUnknown,
  operations: AgentOperations,
})
export type AgentDocument = z.infer<typeof AgentDocument>
