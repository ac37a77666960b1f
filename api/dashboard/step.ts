import type { FastifyRequest } from 'fastify'
import type { Membership } from '../../pipeline/model/identity.ts'
import type { Identity } from '../identity/identity.ts'
import type { Services } from '../operation/services.ts'
import type { AskAs } from './ask-as.ts'
import type { DashboardAnswer } from './page.tsx'
import type { SignedIn } from './person.ts'

/** One request of a signed-in person to the dashboard. */
export interface Step extends SignedIn {
  request: FastifyRequest
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, unknown>>
  form: URLSearchParams
  /** Token that each form of the page carries. */
  token: string
  ask: AskAs
  identity: Identity
  services: Services
}

/** A step within an organization that the person belongs to. */
export interface OrganizationStep extends Step {
  organization: Membership
  /** The query that names the organization to an operation. */
  org: { org: string }
}

interface Place<Of extends Step> {
  method: 'GET' | 'POST'
  path: string
  take(step: Of): DashboardAnswer | Promise<DashboardAnswer>
}

export type PersonPlace = Place<Step>
/** Path below an organization. */
export type OrganizationPlace = Place<OrganizationStep>
