import type { Task } from './task.ts'
import { getBrandIdentity } from './tasks/get-brand-identity.ts'
import { getCapabilities } from './tasks/get-capabilities.ts'
import { getProducts } from './tasks/get-products.ts'
import { getSignals } from './tasks/get-signals.ts'
import { listCreativeFormats } from './tasks/list-creative-formats.ts'

/** One agent of several behind the same origin: `POST /<name>/mcp`. */
export interface Tenant {
  name: string
  /** Type of the agent, as brand.json declares it. */
  type: 'sales' | 'signals' | 'creative' | 'brand'
  title: string
  protocols: readonly string[]
  tasks: readonly Task[]
}

export const tenants: readonly Tenant[] = [
  {
    name: 'sales',
    type: 'sales',
    title: 'Sells the inventory of several publishers',
    protocols: ['media_buy'],
    tasks: [getCapabilities, getProducts, listCreativeFormats],
  },
  {
    name: 'signals',
    type: 'signals',
    title: 'Offers audiences',
    protocols: ['signals'],
    tasks: [getCapabilities, getSignals],
  },
  {
    name: 'creative',
    type: 'creative',
    title: 'Defines creative formats',
    protocols: ['creative'],
    tasks: [getCapabilities, listCreativeFormats],
  },
  {
    name: 'brand',
    type: 'brand',
    title: 'Tells the identity of brands',
    protocols: ['brand'],
    tasks: [getCapabilities, getBrandIdentity],
  },
]

export function findTenant(name: string): Tenant | undefined {
  return tenants.find(tenant => tenant.name === name)
}
