import { z } from 'zod'
import { buildWebhookProfile } from '../../../pipeline/signing/profile.ts'
import { describeSupport, formats } from '../catalogue/formats.ts'
import { publishers } from '../catalogue/publishers.ts'
import { signals } from '../catalogue/signals.ts'
import { MINIMUM_SIZE } from '../measurement/audience.ts'
import { buildNamedFields } from '../protocol-names.ts'
import { MAJOR_VERSIONS, SUPPORTED_VERSIONS } from '../protocol-version.ts'
import { idempotency } from '../state/idempotency.ts'
import { defineTask } from '../task.ts'
import { declaredScenarios } from './comply-test-controller.ts'

const Input = z.object({
  protocols: z.array(z.string()).optional().describe('Only the blocks of these protocols'),
})

export const getCapabilities = defineTask({
  name: protocolName => `get_${protocolName}_capabilities`,
  title: 'List the capabilities of this agent',
  description: 'Returns the protocols and features of this agent',
  input: Input,
  run({ protocols }, context) {
    const { protocolName, protocols: spoken, specialisms, taskNames, signedTasks } = context
    const blocks = Object.entries(describeProtocols()).filter(
      ([name]) =>
        spoken.some(protocol => protocol === name) && (!protocols || protocols.includes(name)),
    )
    const version = {
      major_versions: MAJOR_VERSIONS,
      supported_versions: SUPPORTED_VERSIONS,
      idempotency,
    }
    return {
      ...buildNamedFields(protocolName, name => ({ [name]: version })),
      request_signing: {
        supported: true,
        covers_content_digest: context.requestProfile.digest,
        required_for: signedTasks,
      },
      webhook_signing: {
        supported: true,
        profile: buildWebhookProfile(protocolName).tag,
        algorithms: ['ed25519'],
        legacy_hmac_fallback: false,
      },
      idempotency,
      supported_protocols: spoken,
      specialisms,
      account: { supported_billing: ['operator', 'agent', 'advertiser'], sandbox: true },
      ...(taskNames.includes('comply_test_controller') && {
        compliance_testing: { scenarios: declaredScenarios },
      }),
      ...Object.fromEntries(blocks),
    }
  },
})

function describeProtocols(): Record<string, Record<string, unknown>> {
  return {
    media_buy: {
      supported_pricing_models: ['cpm'],
      features: { inline_creative_management: true, catalog_management: true },
      audience_targeting: {
        supported_identifier_types: ['hashed_email', 'hashed_phone'],
        minimum_audience_size: MINIMUM_SIZE,
      },
      portfolio: {
        publisher_domains: publishers.map(({ domain }) => domain),
        primary_channels: [
          ...new Set(publishers.flatMap(({ offers }) => offers.map(({ kind }) => kind))),
        ],
        primary_countries: [...new Set(publishers.flatMap(({ countries }) => countries))],
        description: 'Invented inventory of invented publishers, for testing agents',
      },
    },
    signals: {
      data_provider_domains: [...new Set(signals.map(({ provider }) => provider.domain))],
    },
    creative: {
      has_creative_library: true,
      supports_generation: true,
      supports_transformation: true,
      supported_formats: formats.map(describeSupport),
    },
    governance: {},
    brand: { description: 'Identities of invented brands' },
  }
}
