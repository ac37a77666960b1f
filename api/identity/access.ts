import type Provider from 'oidc-provider'
import { SECOND, toIso } from '../../pipeline/core/clock.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { DASHBOARD_CLIENT } from './dashboard-client.ts'

/** An application that may act for a person. */
export interface Access {
  /** Id of the consent; it is not a credential. */
  id: string
  /** Name that the application gave itself. */
  name: string
  /** Time at which the consent expires. */
  until: string | undefined
}

/** Lists the valid consents of a person, except the one for the registry's own pages. */
export async function listAccess(
  provider: Provider,
  userId: string,
  ids: readonly string[],
): Promise<Access[]> {
  const grants = await Promise.all(ids.map(id => provider.Grant.find(id)))
  const found = await Promise.all(
    grants.map(async grant => {
      const { accountId, clientId, jti, exp } = grant ?? {}
      if (accountId !== userId || clientId === undefined || clientId === DASHBOARD_CLIENT) return []
      const client = await provider.Client.find(clientId)
      const name = client?.clientName ?? 'An unnamed application'
      return [
        {
          id: requireValue(jti, 'id of the grant'),
          name,
          until: exp === undefined ? undefined : toIso(exp * SECOND),
        },
      ]
    }),
  )
  return found.flat()
}

/**
 * Ends a consent of a person and revokes the codes and tokens issued under it; false if the consent is not
 * theirs.
 */
export async function endAccess(
  provider: Provider,
  userId: string,
  grantId: string,
): Promise<boolean> {
  const grant = grantId === '' ? undefined : await provider.Grant.find(grantId)
  if (grant === undefined || grant.accountId !== userId) return false
  if (grant.clientId === DASHBOARD_CLIENT) return false
  await provider.RefreshToken.revokeByGrantId(grantId)
  await grant.destroy()
  return true
}

/** Ends these consents of a person, also the one for the registry's own pages. */
export async function endAllAccess(
  provider: Provider,
  userId: string,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const grant = await provider.Grant.find(id)
    if (grant?.accountId !== userId) continue
    await provider.RefreshToken.revokeByGrantId(id)
    await grant.destroy()
  }
}
