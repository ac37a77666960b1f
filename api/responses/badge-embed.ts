import type { z } from 'zod'
import { escapeHtml } from '../../pipeline/core/escape-html.ts'
import type { BadgeRole } from '../../pipeline/model/badge.ts'
import type { BadgeEmbed } from '../../pipeline/model/responses/badges.ts'
import { resolveAgentUrl } from '../../pipeline/read/lookups/agent-urls.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { describeBadge } from './badge-svg.ts'
import { buildBadgePath, buildVerificationUrl, findBadge } from './badges.ts'

interface EmbeddedBadge {
  agentUrl: string
  role: BadgeRole
  /** Version of the protocol; by default that of the badge. */
  version?: string
}

/** Describes how a page shows a badge: its picture with a link to this registry, as HTML and Markdown. */
export function describeEmbed(
  { agentUrl, role, version }: EmbeddedBadge,
  { reader, baseUrl }: { reader: Reader; baseUrl(): string },
): z.output<typeof BadgeEmbed> {
  const agent_url = resolveAgentUrl(reader, agentUrl)
  const badge = findBadge(reader, agent_url, role, version)
  const badge_svg_url = `${baseUrl()}${buildBadgePath(agent_url, role, version)}`
  const registry_url = buildVerificationUrl(baseUrl(), agent_url)
  const alt = describeBadge(role, badge, version)
  const [picture, link] = [badge_svg_url, registry_url].map(escapeHtml)
  return {
    agent_url,
    role,
    verified: badge !== undefined,
    ...(version !== undefined && { adcp_version: version }),
    badge_svg_url,
    registry_url,
    html: `<a href="${link}"><img src="${picture}" alt="${escapeHtml(alt)}" height="24"></a>`,
    markdown: `[![${alt}](${escapeMarkdown(badge_svg_url)})](${escapeMarkdown(registry_url)})`,
  }
}

/** Escapes what would end a link, as percent codes: an encoded address may still hold parentheses. */
function escapeMarkdown(url: string): string {
  return url.replace(/[()[\]<>\s\\*_`]/g, character => {
    const code = character.charCodeAt(0).toString(16).toUpperCase()
    return character === '_' ? character : `%${code.padStart(2, '0')}`
  })
}
