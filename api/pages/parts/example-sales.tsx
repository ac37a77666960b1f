import type { PropertyAuthorization } from '../../../pipeline/model/responses/authority.ts'
import { type ExampleSale, listExampleSales } from '../../../pipeline/read/queries/example-sales.ts'
import type { Snapshot } from '../../../pipeline/read/reader.ts'
import { authorizeProperty } from '../../routes/authorization/property-authorization.ts'
import { askIfReady } from '../ask.ts'
import { type Html, h } from '../html/jsx.ts'
import { renderName } from '../html/text.tsx'
import type { ViewCall } from '../view.ts'

const sides = ['confirmed', 'contradicted'] as const

/** Finds an agent that can sell a domain according to both sides, and one whose operator denies it. */
export async function findExampleSales({
  ask,
  services: { reader },
}: Pick<ViewCall, 'ask' | 'services'>): Promise<ExampleSale[]> {
  const { snapshot } = reader
  const found = await askIfReady(
    reader,
    async () => snapshot && Promise.all(sides.map(side => findSale(ask, snapshot, side))),
  )
  return (found ?? []).filter(sale => sale !== undefined)
}

async function findSale(
  ask: ViewCall['ask'],
  snapshot: Snapshot,
  side: (typeof sides)[number],
): Promise<ExampleSale | undefined> {
  for (const sale of await listExampleSales(snapshot, side)) {
    const query = { ...toQuestion(sale), identifier_type: 'domain' }
    const { body } = await ask<PropertyAuthorization>(authorizeProperty, { query })
    if (body.operator_side === side && body.sides.publisher === 'match') return sale
  }
  return undefined
}

const toQuestion = ({ domain, agent_url }: ExampleSale) => ({ agent_url, identifier_value: domain })

/** Renders sales as questions, which lead to their answers. */
export function renderSaleLinks(sales: readonly ExampleSale[]): Html[] {
  return sales.map(sale => (
    <li>
      <a href={`/authorization?${new URLSearchParams(toQuestion(sale))}`}>
        Can {renderName(sale.agent_url.replace('https://', ''), 60)} sell ads on{' '}
        {renderName(sale.domain, 40)}?
      </a>
    </li>
  ))
}
