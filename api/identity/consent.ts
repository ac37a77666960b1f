import type Provider from 'oidc-provider'
import { requireValue } from '../../pipeline/core/present.ts'
import type { Interaction } from './sign-in-request.ts'

/** The missing part of a consent, as the library lists it. */
interface Missing {
  missingOIDCScope?: string[]
  missingOIDCClaims?: string[]
  missingResourceScopes?: Record<string, string[]>
}

/** Stores the consent of a person to everything that an application asks for, and returns the id of the grant. */
export async function storeConsent(provider: Provider, interaction: Interaction): Promise<string> {
  const { grantId, params, session, prompt } = interaction
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant =
    known ??
    new provider.Grant({
      accountId: requireValue(session, 'session').accountId,
      clientId: String(params.client_id),
    })
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = prompt.details as Missing
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '))
  if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims)
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, scopes.join(' '))
  }
  return grant.save()
}
