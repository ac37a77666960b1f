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
    const features = describeFeatures(taskNames)
    const blocks = Object.entries(describeProtocols(features)).filter(
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
      // The public client looks for the features of every protocol here.
      ...(!spoken.includes('media_buy') &&
        Object.keys(features).length > 0 && { media_buy: { features } }),
      ...Object.fromEntries(blocks),
    }
  },
})

/** Features that clients ask for, by the task that each takes. */
const featureTasks = {
  inline_creative_management: 'create_media_buy',
  property_list_filtering: 'get_products',
  catalog_management: 'sync_catalogs',
  conversion_tracking: 'log_event',
  audience_targeting: 'sync_audiences',
  content_standards: 'create_content_standards',
}

function describeFeatures(taskNames: readonly string[]): Record<string, true> {
  const had = Object.entries(featureTasks).filter(([, task]) => taskNames.includes(task))
  return Object.fromEntries(had.map(([feature]) => [feature, true]))
}

function describeProtocols(
  features: Record<string, true>,
): Record<string, Record<string, unknown>> {
  return {
    media_buy: {
      supported_pricing_models: ['cpm'],
      features,
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
