import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../pipeline/core/errors.ts'
import { findMailPlace, isOwnMachine } from '../../pipeline/core/mail-place.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import { DASHBOARD_CALLBACK, DASHBOARD_CLIENT } from '../identity/dashboard-client.ts'
import type { Identity } from '../identity/identity.ts'
import { buildSignedOutPage, sendSignInPage } from '../identity/pages.tsx'
import { BACK, parseWayBack } from '../identity/way-back.ts'
import type { Services } from '../operation/services.ts'
import type { RoutePath } from '../operation/unknown-routes.ts'
import { NO_DRAFT } from '../pages/draft.ts'
import { SESSION_ENDED } from '../pages/error-page.tsx'
import { personRoutes } from './account.tsx'
import { addAgentRoutes } from './add-agent.tsx'
import { agentTestRoutes } from './agent-tests.tsx'
import { agentRoutes } from './agents.tsx'
import { auditRoutes } from './audit.tsx'
import { createApiCaller } from './call-api.ts'
import { crawlRoutes } from './crawl-now.tsx'
import {
  canEdit,
  type DashboardRequest,
  type OrganizationRoute,
  type PersonRoute,
} from './dashboard-request.ts'
import { accountDeletionRoutes } from './delete-account.tsx'
import { domainRoutes } from './domains.tsx'
import { editWebhookRoutes } from './edit-webhook.tsx'
import { entryRoutes } from './entries.tsx'
import { buildFormTargetRoutes } from './form-targets.ts'
import { deriveFormToken, readOnce, requireFormToken } from './form-tokens.ts'
import { joinRoutes } from './join.tsx'
import { keyRoutes } from './keys.tsx'
import { membershipRoutes } from './membership.tsx'
import {
  actingPages,
  buildDashboardPage,
  type DashboardAnswer,
  pictureHeaders,
  SIGN_OUT_PATH,
  SIGNED_OUT_PATH,
  toSectionPath,
} from './page.tsx'
import { passkeyRoutes } from './passkeys.tsx'
import { peopleRoutes } from './people.tsx'
import { endSession, findSignedIn } from './person.ts'
import { proofRoutes } from './proof.tsx'
import { publishRoutes } from './publish.tsx'
import { canReview, reviewRoutes } from './reviews.tsx'
import { settingsRoutes } from './settings.tsx'
import { ownUsageRoutes, usageRoutes } from './usage.tsx'
import { isOpenTo, listViewed, refuseViewer, renderViewing } from './viewing.tsx'
import { watchRoutes } from './watches.tsx'
import { webhookRoutes } from './webhooks.tsx'

const FORM_BYTES_MAX = 1024 * 1024
const SIGN_IN = '/dashboard/sign-in'

const organizationRoutes: readonly OrganizationRoute[] = [
  {
    method: 'GET',
    path: '',
    handle: ({ organization }) => ({ next: toSectionPath(organization.org_id, 'domains') }),
  },
  ...peopleRoutes,
  ...keyRoutes,
  ...webhookRoutes,
  ...editWebhookRoutes,
  ...domainRoutes,
  ...agentRoutes,
  ...agentTestRoutes,
  ...entryRoutes,
  ...membershipRoutes,
  ...usageRoutes,
  ...auditRoutes,
  ...settingsRoutes,
]

const ownRoutes: readonly PersonRoute[] = [
  ...personRoutes,
  ...accountDeletionRoutes,
  ...passkeyRoutes,
  ...joinRoutes,
  ...reviewRoutes,
  ...publishRoutes,
  ...proofRoutes,
  ...addAgentRoutes,
  ...crawlRoutes,
  ...watchRoutes,
  ...ownUsageRoutes,
]

/** All routes that require a signed-in person. */
const routes: readonly PersonRoute[] = [
  ...ownRoutes,
  ...buildFormTargetRoutes([...ownRoutes, { method: 'POST', path: SIGN_OUT_PATH }]),
  ...[...organizationRoutes, ...buildFormTargetRoutes(organizationRoutes)].map(route => ({
    method: route.method,
    path: `/dashboard/org/:org${route.path}`,
    handle: (context: DashboardRequest) => {
      const received = requireOrganization(context)
      return isOpenTo(route, received.organization) ? route.handle(received) : refuseViewer()
    },
  })),
]

export const dashboardPaths: readonly RoutePath[] = [
  ...routes,
  { method: 'GET', path: SIGN_IN },
  { method: 'GET', path: DASHBOARD_CALLBACK },
  { method: 'POST', path: SIGN_OUT_PATH },
  { method: 'GET', path: SIGNED_OUT_PATH },
]

/** Adds the pages on which people manage what their organizations keep here. */
export function addDashboard(app: FastifyInstance, identity: Identity, services: Services): void {
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    )
    const config = { operation: 'dashboard', isPage: true } as const
    const add = (method: 'GET' | 'POST', url: string, handler: Handler) =>
      scope.route({ method, url, config, handler })
    for (const route of routes) {
      add(route.method, route.path, async (request, reply) => {
        const context = await buildDashboardRequest({ app, identity, services }, request, reply)
        if (context === undefined) return sendToSignIn(request, reply)
        return sendAnswer(context, await route.handle(context), reply)
      })
    }
    add('GET', SIGN_IN, async ({ query, host }, reply) => {
      const path = buildSignInPath(services, parseWayBack((query as { to?: unknown }).to))
      return reply.redirect(findSignInOrigin(services, host) + path, 303)
    })
    add('GET', DASHBOARD_CALLBACK, async ({ query }, reply) =>
      reply.redirect(parseWayBack((query as { state?: unknown }).state) ?? '/dashboard', 303),
    )
    add('POST', SIGN_OUT_PATH, async (request, reply) => {
      const context = await buildDashboardRequest({ app, identity, services }, request, reply)
      if (context !== undefined) await endSession(identity, services, request, reply)
      const to = parseWayBack(context?.form.get(BACK))
      // Whoever signs in next in this browser must not find it.
      reply.header('set-cookie', NO_DRAFT)
      return reply.redirect(to === undefined ? SIGNED_OUT_PATH : toSignIn(to), 303)
    })
    add('GET', SIGNED_OUT_PATH, async ({ query }, reply) => {
      const upstream = identity.getUpstream(services)
      const page = buildSignedOutPage(
        upstream && { name: upstream.name, address: upstream.getSignOutAddress() },
        (query as { account?: unknown }).account === 'deleted',
      )
      return sendSignInPage(reply, page, services)
    })
  })
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

interface DashboardDeps {
  app: FastifyInstance
  identity: Identity
  services: Services
}

/** Collects what a page needs to know about a request; undefined if nobody is signed in. Refuses forms that another site sent. */
async function buildDashboardRequest(
  { app, identity, services }: DashboardDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<DashboardRequest | undefined> {
  const signedIn = await findSignedIn(identity, services, request, reply)
  if (signedIn === undefined) return undefined
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const token = deriveFormToken(identity, signedIn.sessionUid)
  if (request.method === 'POST') {
    requireFormToken(request, form, { baseUrl: services.baseUrl(), expected: token })
  }
  return {
    ...signedIn,
    request,
    params: request.params as Record<string, string>,
    query: request.query as Record<string, unknown>,
    form,
    token,
    callApi: createApiCaller(app, services, signedIn.person.user_id, {
      ip: request.ip,
      once: readOnce(form),
    }),
    identity,
    services,
  }
}

/** Adds the organization in the path. One that the person does not belong to is refused as unknown. */
function requireOrganization(context: DashboardRequest) {
  const organization = context.memberships.find(({ org_id }) => org_id === context.params.org)
  if (organization === undefined) refuse('not_found', 'you do not belong to this organization')
  return { ...context, organization, org: { org: organization.org_id } }
}

/** Sends a visitor who is not signed in to the sign-in, which leads back to where they were. */
function sendToSignIn({ method, url }: FastifyRequest, reply: FastifyReply) {
  if (method === 'POST') return refuse('forbidden', SESSION_ENDED)
  const to = parseWayBack(url)
  return reply.redirect(to === undefined ? SIGN_IN : toSignIn(to), 303)
}

const toSignIn = (to: string) => `${SIGN_IN}?${new URLSearchParams({ to })}`

/**
 * Finds the origin on which a sign-in has to begin, empty where the request is on it: links lead to the public
 * address, and the cookies of `localhost` are not sent to 127.0.0.1.
 */
function findSignInOrigin({ baseUrl }: Services, host: string): string {
  const { host: ownHost, hostname, port, origin } = new URL(baseUrl())
  const asked = URL.parse(`http://${host}`)
  const isAlias =
    host !== ownHost &&
    asked?.port === port &&
    isOwnMachine(asked.hostname) &&
    isOwnMachine(hostname)
  return isAlias ? origin : ''
}

/**
 * Builds the path of the sign-in. The dashboard is an application like any other, but it only needs the
 * session that the sign-in creates: its code is never redeemed and simply expires.
 */
function buildSignInPath({ baseUrl }: Services, state: string | undefined): string {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: DASHBOARD_CLIENT,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: baseUrl() + DASHBOARD_CALLBACK,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(state !== undefined && { state }),
  })
  return `/authorize?${query}`
}

function sendAnswer(context: DashboardRequest, answer: DashboardAnswer, reply: FastifyReply) {
  if ('cookie' in answer && answer.cookie !== undefined) reply.header('set-cookie', answer.cookie)
  if ('next' in answer) {
    const { next, done } = answer
    const mark = done === undefined ? '' : `${next.includes('?') ? '&' : '?'}done=${done}`
    return reply.redirect(next + mark, 303)
  }
  if ('picture' in answer) {
    return reply.headers(pictureHeaders).type(answer.type).send(answer.picture)
  }
  const { person, query, request, token } = context
  const frame = {
    who: person.email ?? person.name ?? person.user_id,
    path: getFirst(request.url.split('?', 1)),
    token,
    sendsMail: findMailPlace(context.services.config, context.services.baseUrl()) !== undefined,
    canReview: canReview(context),
    signsInElsewhere: context.identity.getUpstream(context.services) !== undefined,
    organization: findShownOrganization(context),
    viewing: renderViewing(findViewed(context)),
    hasPasskeys: answer.hasPasskeys,
    done: typeof query.done === 'string' ? query.done : undefined,
  }
  const { status, headers, body } = buildDashboardPage(answer, frame, context.services)
  if (answer.refreshSeconds !== undefined) reply.header('refresh', answer.refreshSeconds)
  return reply.code(status).headers(headers).send(body)
}

/** Sections of the paths that act for an organization without naming it. */
const acting: ReadonlySet<string> = new Set(Object.values(actingPages))
const actingPaths: ReadonlySet<string> = new Set([...acting, 'crawl'])

const findSection = ({ request }: DashboardRequest) =>
  getFirst(request.url.split('?', 1)).split('/')[2] ?? ''

/** Finds the organizations of a page for which the person can change nothing. */
function findViewed(context: DashboardRequest) {
  const { memberships, params } = context
  if (params.org === undefined) return acting.has(findSection(context)) ? listViewed(context) : []
  return memberships.filter(own => own.org_id === params.org && !canEdit(own))
}

/** Finds the organization whose sections a page shows: the one in the path or the form, or the only one. */
function findShownOrganization(context: DashboardRequest) {
  const { memberships, params, form } = context
  const section = findSection(context)
  const named = params.org ?? (actingPaths.has(section) ? form.get('org') : undefined)
  const only = actingPaths.has(section) && memberships.length === 1 ? memberships[0] : undefined
  return memberships.find(({ org_id }) => org_id === named) ?? only
}
