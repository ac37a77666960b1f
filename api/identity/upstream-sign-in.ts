import { refuse } from '../../pipeline/core/errors.ts'
import { toCaller } from '../limits/caller.ts'
import { buildContinuePage, type SignInPage } from './pages.tsx'
import {
  finishLogin,
  registerPerson,
  requirePrompt,
  SIGN_IN_PATH,
  type SignInRoute,
  type Step,
  showSignIn,
} from './sign-in-step.ts'
import type { Upstream } from './upstream.ts'

/** Sends the person to the OpenID provider. */
async function sendUpstream(step: Step): Promise<SignInPage> {
  const { signIn, request, identity } = step
  requirePrompt(signIn, 'login')
  const { prompt, max_age } = signIn.interaction.params
  const begun = await requireUpstream(step).begin(identity.requireRedis(), {
    uid: signIn.uid,
    caller: toCaller(request.ip),
    // If the application asks for a fresh login, the provider is asked for one as well.
    isNew:
      max_age !== undefined ||
      String(prompt ?? '')
        .split(' ')
        .includes('login'),
  })
  return 'refused' in begun ? showSignIn(step, begun.refused) : buildContinuePage(begun.address)
}

/** Signs in the person whom the provider sends back, in the browser in which the sign-in began. */
async function returnFromUpstream(step: Step): Promise<SignInPage> {
  const { signIn, request, identity } = step
  requirePrompt(signIn, 'login')
  const answer = request.query as Record<string, unknown>
  const person = await requireUpstream(step).finish(identity.requireRedis(), signIn.uid, answer)
  if ('refused' in person) return showSignIn(step, person.refused)
  const { issuer: provider, ...known } = person
  return finishLogin(step, await registerPerson(step, { provider, ...known }))
}

function requireUpstream({ identity, services }: Step): Upstream {
  return (
    identity.getUpstream(services) ?? refuse('not_found', 'this registry has no OpenID provider')
  )
}

/** Routes for registries whose people sign in at an OpenID provider. */
export const upstreamRoutes: readonly SignInRoute[] = [
  { method: 'POST', path: `${SIGN_IN_PATH}/upstream`, handle: sendUpstream },
  { method: 'GET', path: `${SIGN_IN_PATH}/return`, handle: returnFromUpstream },
]
