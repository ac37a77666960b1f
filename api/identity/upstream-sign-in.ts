import { refuse } from '../../pipeline/core/errors.ts'
import { toCaller } from '../limits/caller.ts'
import { buildContinuePage, type SignInPage } from './pages.tsx'
import {
  askWho,
  finishLogin,
  registerPerson,
  requirePrompt,
  SIGN_IN_PATH,
  type SignInPlace,
  type Step,
} from './sign-in-step.ts'
import type { Upstream } from './upstream.ts'

/** Sends the person to the provider. */
async function sendUpstream(step: Step): Promise<SignInPage> {
  const { signIn, request, identity } = step
  requirePrompt(signIn, 'login')
  const { prompt, max_age } = signIn.interaction.params
  const begun = await requireUpstream(step).begin(identity.requireRedis(), {
    uid: signIn.uid,
    caller: toCaller(request.ip),
    // An application that wants its person to prove again who they are wants it of the provider.
    isNew:
      max_age !== undefined ||
      String(prompt ?? '')
        .split(' ')
        .includes('login'),
  })
  return 'refused' in begun ? askWho(step, begun.refused) : buildContinuePage(begun.address)
}

/** Signs in whom the provider sends back, in the browser that it was given. */
async function returnFromUpstream(step: Step): Promise<SignInPage> {
  const { signIn, request, identity } = step
  requirePrompt(signIn, 'login')
  const answer = request.query as Record<string, unknown>
  const person = await requireUpstream(step).finish(identity.requireRedis(), signIn.uid, answer)
  if ('refused' in person) return askWho(step, person.refused)
  const { issuer: provider, ...known } = person
  return finishLogin(step, await registerPerson(step, { provider, ...known }))
}

function requireUpstream({ identity, services }: Step): Upstream {
  return identity.getUpstream(services) ?? refuse('not_found', 'no other provider is set here')
}

/** Steps of people whom the OpenID provider of the settings knows. */
export const upstreamPlaces: readonly SignInPlace[] = [
  { method: 'POST', path: `${SIGN_IN_PATH}/upstream`, handle: sendUpstream },
  { method: 'GET', path: `${SIGN_IN_PATH}/return`, handle: returnFromUpstream },
]
