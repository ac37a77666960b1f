import { type Answer, file, reply, status } from './answer.ts'
import { cast, managerDomain, urlOf } from './cast.ts'
import { adagents, entry, pointerTo, siteProperty } from './documents.ts'
import { type Name, type nameMaker, publications } from './names.ts'
import type { Doc, Place } from './site.ts'

const managerFile = `https://${managerDomain}/.well-known/adagents.json`
const revoked = ['left-the-network.example', 'broke-the-rules.example']
/** Sites that have no file of their own; their ads.txt names who speaks for them. */
const adsTxtChildren = [
  'managed-by-ads-txt.example',
  'managed-behind-s3.example',
  'managed-last-line.test',
]
/** Also named by the manager, so only their ads.txt decides. */
const declining = ['declines-agents.example', 'mentions-manager.example']

/**
 * A manager whose file names thousands of publishers. Only the first `present` of them exist; for the
 * others the file is the only trace, as with real networks.
 */
export function networkPlaces(
  named: number,
  present: number,
  invent: ReturnType<typeof nameMaker>,
): Place[] {
  const children = Array.from({ length: named }, () => invent(publications))
  return [
    {
      host: managerDomain,
      files: { 'adagents.json': { situation: 'ok', document: () => managerDocument(children) } },
    },
    ...children.slice(0, present).map(child => pointing(child, 'pointer')),
    ...revoked.map(host => pointing({ host, title: host }, 'pointer_revoked')),
    ...adsTxtPlaces(),
  ]
}

function managerDocument(children: readonly Name[]): Doc {
  const managed = [
    ...children,
    ...[...adsTxtChildren, ...declining].map(host => ({ host, title: host })),
  ]
  return adagents({
    contact: { name: 'Pinnacle Network', email: `ops@${managerDomain}`, domain: managerDomain },
    properties: managed.map(networkProperty),
    tags: {
      pinnacle: { name: 'Pinnacle', description: 'All sites of the network' },
      premium: { name: 'Premium', description: 'The better half' },
    },
    authorized_agents: networkEntries(managed.map(child => child.host)),
    revoked_publisher_domains: revoked.map(publisher_domain => ({
      publisher_domain,
      revoked_at: '2026-10-30T12:00:00Z',
      reason: 'relationship_ended',
    })),
  })
}

function networkProperty({ host, title }: Name, number: number): Doc {
  return siteProperty(host, title, {
    property_id: `site_${number}`,
    tags: number % 2 === 0 ? ['pinnacle', 'premium'] : ['pinnacle'],
    supported_channels: ['display'],
    publisher_domain: host,
  })
}

function networkEntries(domains: readonly string[]): Doc[] {
  const [own, reseller, third] = cast
  return [
    entry(urlOf(own!), 'publisher_properties', {
      publisher_properties: [
        { publisher_domains: [...domains, ...revoked], selection_type: 'all' },
      ],
      delegation_type: 'delegated',
    }),
    entry(urlOf(reseller!), 'property_tags', {
      property_tags: ['premium'],
      delegation_type: 'ad_network',
      countries: ['DE', 'GB', 'US'],
    }),
    entry(urlOf(third!), 'publisher_properties', {
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

function pointing({ host, title }: Name, situation: string): Place {
  const document = (): Doc => pointerTo(managerFile)
  return { host, title, files: { 'adagents.json': { situation, document } } }
}

function adsTxtPlaces(): Place[] {
  const line = `MANAGERDOMAIN=${managerDomain}`
  const denied = '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'
  const [plain, behindS3, lastLine] = adsTxtChildren
  const [declines, mentions] = declining
  return [
    adsTxt(plain!, 'managed', ['exchange.example, 1, DIRECT', line]),
    adsTxt(behindS3!, 'managed', [line], () =>
      reply(403, denied, { 'content-type': 'application/xml' }),
    ),
    adsTxt(lastLine!, 'managed', [
      'managerdomain = other.example',
      `managerdomain = ${managerDomain}`,
    ]),
    adsTxt(declines!, 'managed_noagents', [`${line} # NoAgents`]),
    adsTxt(mentions!, 'absent', [`# ${line}`]),
    adsTxt('unknown-to-manager.example', 'managed_unscoped', [line]),
    adsTxt('manages-itself.example', 'managed_by_itself', ['MANAGERDOMAIN=manages-itself.example']),
    adsTxt('failing-not-managed.example', 'status_500', [line], () => status(500)),
  ]
}

function adsTxt(
  host: string,
  situation: string,
  lines: readonly string[],
  answer: () => Answer = () => status(404),
): Place {
  const text = (): Answer => file(`${lines.join('\n')}\n`, 'text/plain; charset=utf-8')
  return { host, files: { 'adagents.json': { situation, answer } }, pages: { '/ads.txt': text } }
}
