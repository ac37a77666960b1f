import { type Ask, file, reply } from './answer.ts'
import type { Place } from './site.ts'

/** Domain of the demo that has no file of its own yet. */
export const OWN_SITE = 'your-site.example'

/** Builds the path at which a site publishes the token of a proof. */
export function buildTokenPath(protocolName: string): string {
  return `/.well-known/${protocolName}-ownership.txt`
}

/** Builds the place; no crawl lists it. */
export function buildOwnSite(): Place {
  return { host: OWN_SITE, title: 'Your Site', listed: false }
}

/** Adds the proof of ownership to a place: it publishes the token that it is sent, and none until then. */
export function acceptToken(place: Place, protocolName: string): Place {
  const path = buildTokenPath(protocolName)
  let token: string | undefined
  const respond = (ask: Ask) => {
    if (ask.path !== path) return place.respond?.(ask)
    if (ask.method !== 'POST')
      return token === undefined ? place.respond?.(ask) : file(token, 'text/plain')
    const sent = ask.body.trim()
    if (!/^[\w-]{43}$/.test(sent)) return reply(400, 'this is no token\n')
    token = sent
    return reply(200, 'published\n')
  }
  return { ...place, respond }
}
