import { type Agent, type AgentType, toUrl } from './demo-agents.ts'
import type { Doc } from './site.ts'

export type TaskResult = { ok: true; payload: Doc } | { ok: false; code: string; message: string }

type Tasks = Readonly<Record<string, string>>

const creativeTasks: Tasks = {
  list_creative_formats: 'Lists the formats this agent can make or accept',
  build_creative: 'Makes a creative from a brief',
  preview_creative: 'Shows a creative as it would render',
}

const tasksByType: Readonly<Record<AgentType, Tasks>> = {
  sales: {
    get_products: 'Finds products for a brief',
    list_creative_formats: 'Lists the formats the products accept',
    list_authorized_properties: 'Lists the properties this agent sells',
    create_media_buy: 'Books a media buy',
  },
  creative: creativeTasks,
  signals: {
    get_signals: 'Finds audiences for a description',
    activate_signal: 'Sends an audience to a platform',
  },
  measurement: { get_measurement_report: 'Reports one metric of a campaign' },
  brand: { get_brand_identity: 'Tells names, logos and colors of a brand' },
  rights: { get_rights: 'Offers rights of use' },
  governance: {
    check_governance: 'Checks a step of a plan against its policies',
    get_plan_audit_logs: 'Lists what was decided about a plan',
  },
  buying: { sync_accounts: 'Keeps the accounts of a buyer in step' },
}

export function buildTools(
  agent: Agent,
  protocolName: string,
): { name: string; description: string }[] {
  const own = Object.entries(tasksByType[agent.type])
  const all = [
    [nameCapabilitiesTask(protocolName), 'Describes what this agent can do'] as const,
    ...own,
  ]
  return all.map(([name, description]) => ({ name, description }))
}

export function runTask(agent: Agent, name: string, protocolName: string): TaskResult {
  if (agent.failing.includes(name)) {
    return { ok: false, code: 'SERVICE_UNAVAILABLE', message: 'The shelves are being filled' }
  }
  if (name === nameCapabilitiesTask(protocolName))
    return { ok: true, payload: buildCapabilities(agent) }
  if (!(name in tasksByType[agent.type])) {
    return { ok: false, code: 'UNKNOWN_TASK', message: `There is no task ${name} here` }
  }
  const payload = payloads[name]?.(agent)
  if (payload !== undefined) return { ok: true, payload }
  return { ok: false, code: 'AUTH_REQUIRED', message: `${name} needs an account` }
}

export function nameCapabilitiesTask(protocolName: string): string {
  return `get_${protocolName}_capabilities`
}

const payloads: Readonly<Record<string, (agent: Agent) => Doc>> = {
  get_products: agent => ({ products: [1, 2, 3].map(n => buildProduct(agent, n)) }),
  list_creative_formats: agent => ({ formats: buildFormats(agent) }),
  list_authorized_properties: () => ({ publisher_domains: ['birchmill-daily.example'] }),
  get_signals: agent => ({ signals: [1, 2].map(n => buildSignal(agent, n)) }),
  get_brand_identity: agent => ({ brand: { name: agent.company, domain: agent.operator } }),
  get_plan_audit_logs: () => ({ entries: [] }),
  check_governance: () => ({ decision: 'approved', conditions: [] }),
}

function buildProduct(agent: Agent, n: number): Doc {
  return {
    product_id: `product_${n}`,
    name: `${agent.company} package ${n}`,
    description: 'Display and video on invented sites',
    publisher_properties: [{ publisher_domain: agent.operator, selection_type: 'all' }],
    format_ids: buildFormats(agent).map(format => format.format_id),
    delivery_type: n === 1 ? 'guaranteed' : 'non_guaranteed',
    pricing_options: [
      { pricing_option_id: `cpm_${n}`, pricing_model: 'cpm', rate: n * 4, currency: 'EUR' },
    ],
  }
}

function buildFormats(agent: Agent): Doc[] {
  const shapes = [
    { id: 'display_300x250', name: 'Rectangle', type: 'display', width: 300, height: 250 },
    { id: 'video_15s', name: 'Fifteen seconds', type: 'video', width: 1920, height: 1080 },
  ]
  return shapes.map(({ id, name, type, width, height }) => ({
    format_id: { agent_url: toUrl(agent), id },
    name,
    type,
    assets_required: [{ asset_id: 'main', asset_type: type === 'video' ? 'video' : 'image' }],
    renders: [{ role: 'primary', dimensions: { width, height } }],
  }))
}

/** Builds the formats of a creative agent; one still lists bare formats, as older agents do. */
function buildSupportedFormats(agent: Agent): Doc[] {
  if (agent.company === 'Prism Forge') return buildFormats(agent)
  return [
    {
      capability_id: 'banner',
      format: { format_kind: 'image', params: { width: 300, height: 250 } },
      operations: ['build', 'preview'],
    },
    { capability_id: 'spot', format: { format_kind: 'video_hosted' }, operations: ['validate'] },
  ]
}

function buildSignal(agent: Agent, n: number): Doc {
  return {
    signal_agent_segment_id: `segment_${n}`,
    name: `Readers of group ${n}`,
    data_provider: agent.company,
    coverage_percentage: 10 * n,
  }
}

function buildCapabilities(agent: Agent): Doc {
  const common = {
    name: agent.company,
    idempotency: { supported: true, replay_ttl_seconds: 86_400 },
  }
  switch (agent.type) {
    case 'measurement':
      return { ...common, measurement: { metrics: buildMetrics(agent) } }
    case 'creative':
      return { ...common, creative: { supported_formats: buildSupportedFormats(agent) } }
    case 'signals':
      return { ...common, signals: { audience_types: ['contextual', 'lookalike'] } }
    case 'sales':
      return { ...common, supported_protocols: ['media_buy'] }
    default:
      return { ...common, supported_protocols: [agent.type] }
  }
}

/** Builds the metrics of a measurement agent; one claims more than the registry stores. */
function buildMetrics(agent: Agent): Doc[] {
  if (agent.company === 'Over Claim') {
    return Array.from({ length: 501 }, (_, i) => ({ metric_id: `claim_${i}`, accreditations: [] }))
  }
  const bodies = agent.company === 'True Meter' ? ['Meter Council', 'Audit Board'] : ['Audit Board']
  return ['viewability', 'attention_seconds', 'invalid_traffic'].map((metric_id, i) => ({
    metric_id,
    description: `Measures ${metric_id.replace('_', ' ')}`,
    accreditations: bodies.slice(i).map(accrediting_body => ({
      accrediting_body,
      certification_id: `${metric_id}-1`,
      valid_until: '2035-01-01',
    })),
  }))
}
