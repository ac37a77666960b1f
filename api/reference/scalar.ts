import { hash } from 'node:crypto'
import fastify from 'fastify'
import { getAssets } from '../pages/assets.ts'
import type { Sent } from '../responses/reply.ts'

/** Files of the API reference; both never change while the process runs. */
export interface Reference {
  page: Sent
  script: Sent
}

export const SCRIPT_PATH = '/docs/scalar.js'
const INLINE_SCRIPT = /<script type="text\/javascript">([\s\S]*?)<\/script>/

/**
 * Loads Scalar, which shows the OpenAPI description of this server in the browser. Its plugin renders once;
 * the files are sent by our own routes, which cache and compress them.
 */
export async function loadReference(): Promise<Reference> {
  // Several megabytes, which most processes never serve.
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = fastify({ routerOptions: { ignoreTrailingSlash: true } })
  app.register(scalar, {
    routePrefix: '/',
    configuration: {
      url: '/openapi/registry.yaml',
      cdn: SCRIPT_PATH,
      pageTitle: 'Agentic Ad Registry: reference',
      // Requests go to the server that the page came from, since the policy allows no other.
      servers: [{ url: '/' }],
      // Everything that would contact other servers.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
    },
  })
  const [page, script] = await Promise.all([app.inject('/'), app.inject('/js/scalar.js')])
  await app.close()
  const body = addPolicyScript(page.body)
  return {
    page: toSent(body, 'text/html', { 'content-security-policy': buildPolicy(body) }),
    script: toSent(script.rawPayload, 'text/javascript'),
  }
}

/** Adds the script that lets the reference run under its policy, before the reference itself. */
function addPolicyScript(page: string): string {
  const { path } = getAssets()['strict-policy']
  return page.replace('<script ', `<script src="${path}"></script>\n    <script `)
}

function toSent(body: Buffer | string, type: string, headers: Sent['headers'] = {}): Sent {
  return {
    status: 200,
    body,
    type: `${type}; charset=utf-8`,
    etag: hash('sha256', body, 'base64url').slice(0, 22),
    headers,
    compressed: new Map(),
  }
}

/** Builds a content security policy under which only this server's script runs and only this server is contacted. */
function buildPolicy(page: string): string {
  const [, inline = ''] = INLINE_SCRIPT.exec(page) ?? []
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', inline, 'base64')}'`,
    "style-src 'none'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
