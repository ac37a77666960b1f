import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  getComplianceCacheDir,
  type getComplianceStoryboardById,
  type runStoryboard,
} from '@adcp/sdk/testing'
import { parse } from 'yaml'
import { z } from 'zod'

export type Storyboard = NonNullable<ReturnType<typeof getComplianceStoryboardById>>

const Bought = z.object({ product_id: z.string(), pricing_option_id: z.string() })

/** Storyboards that cannot be passed as they are written, by their ids; the README says why. */
const amendments: Readonly<Record<string, (storyboard: Storyboard) => Storyboard>> = {
  pagination_integrity: nameOwnAccount,
  pagination_integrity_creative_formats: nameOwnAccount,
  creative_ad_server: nameOwnAccount,
  sales_broadcast_tv: nameOwnAccount,
  'media_buy_seller/governance_conditions': seedBought,
  media_buy_governance_escalation: seedBought,
  governance_spend_authority: seedBought,
  governance_delivery_monitor: seedBought,
}

/** Placeholder of storyboards for the task that a stranger is refused. */
const PROBED = '$test_kit.auth.probe_task'

/** Names the task that a stranger is refused: test kits can name only tasks that some agents lack. */
export function nameProbed(storyboard: Storyboard, task: string): Storyboard {
  const phases = storyboard.phases.map(phase => ({
    ...phase,
    steps: phase.steps.map(step => (step.task === PROBED ? { ...step, task } : step)),
  }))
  return { ...storyboard, phases }
}

type TestKit = NonNullable<NonNullable<Parameters<typeof runStoryboard>[2]>['test_kit']>

/** Reads the test kit that the bundle brings for steps about credentials. */
export function readTestKit(): TestKit {
  const file = join(getComplianceCacheDir(), 'test-kits/acme-outdoor.yaml')
  return parse(readFileSync(file, 'utf8'))
}

/** Edits what a storyboard itself gets wrong; its checks of answers stay as they are. */
export function correctStoryboard(storyboard: Storyboard): Storyboard {
  return amendments[storyboard.id]?.(storyboard) ?? storyboard
}

/** The account for which the runner seeds, whichever one a storyboard names. */
const RUNNERS = { brand: { domain: 'test.example' }, operator: 'test.example', sandbox: true }

/** Asks for the account that was seeded, which is the runner's own, instead of one that nothing set up. */
function nameOwnAccount(storyboard: Storyboard): Storyboard {
  const phases = storyboard.phases.map(phase => ({
    ...phase,
    steps: phase.steps.map(step => {
      const { sample_request } = step
      if (sample_request?.account === undefined) return step
      return { ...step, sample_request: { ...sample_request, account: RUNNERS } }
    }),
  }))
  return { ...storyboard, phases }
}

/** Puts the products into the sandbox that the storyboard buys, at the prices that it names. */
function seedBought(storyboard: Storyboard): Storyboard {
  const bought = storyboard.phases
    .flatMap(({ steps }) => steps.flatMap(({ sample_request }) => sample_request?.packages ?? []))
    .map(bought => Bought.parse(bought))
  return {
    ...storyboard,
    prerequisites: { description: '', ...storyboard.prerequisites, controller_seeding: true },
    fixtures: {
      products: bought.map(({ product_id }) => ({ product_id, channels: ['ctv'] })),
      pricing_options: bought.map(bought => ({ ...bought, fixed_price: 5, currency: 'USD' })),
    },
  }
}
