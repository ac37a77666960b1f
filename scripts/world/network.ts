import { type Answer, answerStatus, file, reply } from './answer.ts'
import { demoAgents, managerDomain, toUrl } from './demo-agents.ts'
import { buildAdagents, buildEntry, buildPointerTo, buildSiteProperty } from './documents.ts'
import { getItem } from './items.ts'
import { type Name, type nameMaker, publications } from './names.ts'
import type { Doc, Place } from './site.ts'

const managerFile = `https://${managerDomain}/.well-known/adagents.json`
const revoked = ['left-the-network.example', 'broke-the-rules.example']
/** Sites without a file of their own; their ads.txt names the manager that publishes for them. */
const adsTxtChildren = [
  'managed-by-ads-txt.example',
  'managed-behind-s3.example',
  'managed-last-line.test',
] as const
/** Sites that the manager names as well, so that only their ads.txt decides. */
const declining = ['declines-agents.example', 'mentions-manager.example'] as const

/**
 * Builds a manager whose file names hundreds of publishers. Only the first `present` of them
 * exist; the others occur only in that file, as in real networks.
 */
export function buildNetworkPlaces(
  named: number,
  present: number,
  invent: ReturnType<typeof nameMaker>,
): Place[] {
  const children = Array.from({ length: named }, () => invent(publications))
  return [
    {
      host: managerDomain,
      files: {
        'adagents.json': { situation: 'ok', document: () => buildManagerDocument(children) },
      },
    },
    ...children.slice(0, present).map(child => buildPointing(child, 'pointer')),
    ...revoked.map(host => buildPointing({ host, title: host }, 'pointer_revoked')),
    ...buildAdsTxtPlaces(),
  ]
}

function buildManagerDocument(children: readonly Name[]): Doc {
  const managed = [
    ...children,
    ...[...adsTxtChildren, ...declining].map(host => ({ host, title: host })),
  ]
  return buildAdagents({
    contact: { name: 'Pinnacle Network', email: `ops@${managerDomain}`, domain: managerDomain },
    properties: managed.map(buildNetworkProperty),
    tags: {
      pinnacle: { name: 'Pinnacle', description: 'All sites of the network' },
      premium: { name: 'Premium', description: 'The better half' },
    },
    authorized_agents: buildNetworkEntries(managed.map(child => child.host)),
    revoked_publisher_domains: revoked.map(publisher_domain => ({
      publisher_domain,
      revoked_at: '2026-10-30T12:00:00Z',
      reason: 'relationship_ended',
    })),
  })
}

function buildNetworkProperty({ host, title }: Name, number: number): Doc {
  return buildSiteProperty(host, title, {
    property_id: `site_${number}`,
    tags: number % 2 === 0 ? ['pinnacle', 'premium'] : ['pinnacle'],
    supported_channels: ['display'],
    publisher_domain: host,
  })
}

function buildNetworkEntries(domains: readonly string[]): Doc[] {
  return [
    buildEntry(toUrl(getItem(demoAgents, 0)), 'publisher_properties', {
      publisher_properties: [
        { publisher_domains: [...domains, ...revoked], selection_type: 'all' },
      ],
      delegation_type: 'delegated',
    }),
    buildEntry(toUrl(getItem(demoAgents, 1)), 'property_tags', {
      property_tags: ['premium'],
      delegation_type: 'ad_network',
      countries: ['DE', 'GB', 'US'],
    }),
    buildEntry(toUrl(getItem(demoAgents, 2)), 'publisher_properties', {
      publisher_properties: [
        { publisher_domain: domains[0], selection_type: 'by_id', property_ids: ['site_0'] },
        {
          publisher_domains: domains.slice(1, 50),
          selection_type: 'by_tag',
          property_tags: ['premium'],
        },
      ],
    }),
  ]
}

function buildPointing({ host, title }: Name, situation: string): Place {
  const document = (): Doc => buildPointerTo(managerFile)
  return { host, title, files: { 'adagents.json': { situation, document } } }
}

function buildAdsTxtPlaces(): Place[] {
  const line = `MANAGERDOMAIN=${managerDomain}`
  const denied = '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'
  const [plain, behindS3, lastLine] = adsTxtChildren
  const [declines, mentions] = declining
  return [
    buildAdsTxt(plain, 'managed', ['exchange.example, 1, DIRECT', line]),
    buildAdsTxt(behindS3, 'managed', [line], () =>
      reply(403, denied, { 'content-type': 'application/xml' }),
    ),
    buildAdsTxt(lastLine, 'managed', [
      'managerdomain = other.example',
      `managerdomain = ${managerDomain}`,
    ]),
    buildAdsTxt(declines, 'managed_noagents', [`${line} # NoAgents`]),
    buildAdsTxt(mentions, 'absent', [`# ${line}`]),
    buildAdsTxt('unknown-to-manager.example', 'managed_unscoped', [line]),
    buildAdsTxt('manages-itself.example', 'managed_by_itself', [
      'MANAGERDOMAIN=manages-itself.example',
    ]),
    buildAdsTxt('failing-not-managed.example', 'status_500', [line], () => answerStatus(500)),
  ]
}

function buildAdsTxt(
  host: string,
  situation: string,
  lines: readonly string[],
  answer: () => Answer = () => answerStatus(404),
): Place {
  const text = (): Answer => file(`${lines.join('\n')}\n`, 'text/plain; charset=utf-8')
  return { host, files: { 'adagents.json': { situation, answer } }, pages: { '/ads.txt': text } }
}
