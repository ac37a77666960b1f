import type { FastifyRequest } from 'fastify'
import { hasOrganizationRight } from '../../pipeline/core/roles.ts'
import type { Membership } from '../../pipeline/model/identity.ts'
import type { Identity } from '../identity/identity.ts'
import type { Services } from '../operation/services.ts'
import type { CallApi } from './call-api.ts'
import type { DashboardAnswer } from './page.tsx'
import type { SignedIn } from './person.ts'

/** One request of a signed-in person to the dashboard. */
export interface DashboardRequest extends SignedIn {
  request: FastifyRequest
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, unknown>>
  form: URLSearchParams
  /** Token that each form of the page carries. */
  token: string
  callApi: CallApi
  identity: Identity
  services: Services
}

/** A request about an organization that the person belongs to. */
export interface OrganizationRequest extends DashboardRequest {
  organization: Membership
  /** The query that names the organization to an operation. */
  org: { org: string }
}

interface DashboardRoute<Received extends DashboardRequest> {
  method: 'GET' | 'POST'
  path: string
  handle(context: Received): DashboardAnswer | Promise<DashboardAnswer>
}

export type PersonRoute = DashboardRoute<DashboardRequest>
/** A route below `/dashboard/org/ORG`; its path is relative to that. */
export interface OrganizationRoute extends DashboardRoute<OrganizationRequest> {
  /** Right that it takes, where that is neither `read` for a page nor `edit` for what a form sends. */
  right?: 'read' | 'edit'
}

/** Tells whether a person may change something for an organization. */
export function canEdit({ role }: Pick<Membership, 'role'>): boolean {
  return hasOrganizationRight(role, 'edit')
}
