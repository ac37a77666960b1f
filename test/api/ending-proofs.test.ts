import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { enterDashboard, openWithSignIn } from '../support/clients/signing-in.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const domain = 'ending.example' as Domain
const registry = openForAll(openWithSignIn)
let org: string
let verifiedAt: number

beforeAll(async () => {
  const ida = await enterDashboard(registry, 'ida@lines.example')
  const form_token = load((await ida.get('/dashboard')).body)('input[name=form_token]').val()
  const made = await ida.post(
    '/dashboard/organizations',
    { form_token: String(form_token), name: 'Lines' },
    { 'sec-fetch-site': 'same-origin' },
  )
  org = requireValue(String(made.headers.location).split('/')[3], 'organization')
  verifiedAt = registry.clock.now()
  const brand = {
    op: 'brand.save',
    revision_id: crypto.randomUUID(),
    editor: { kind: 'user', id: 'ida', org_id: org },
    domain,
    brand_name: 'Ends',
  }
  const proof = { op: 'organization.domain.add', org, domain, proof: 'http' }
  for (const operation of [proof, brand]) {
    expect(await registry.submit(operation as never)).toMatchObject([{ done: {} }])
  }
})

test.each([
  [20, 'Verified', ''],
  [6.5, 'Ends in 6 days', 'Verification ends in 6 days: ending.example. Verify again'],
  [0.5, 'Ends today', 'Verification ends today: ending.example. Verify again'],
  [
    -1,
    'Expired',
    'Verification has ended, so the domain’s hosted files can’t be changed: ending.example. Verify again',
  ],
])(
  '%d days before a verification of a hosted file ends, its state is “%s”',
  async (left, state, notice) => {
    const end = verifiedAt + registry.config.LIMITS.proofDays * DAY
    registry.clock.tick(end - left * DAY - registry.clock.now())
    const browser = await enterDashboard(registry, 'ida@lines.example')
    const page = load((await browser.get(`/dashboard/org/${org}/domains`)).body)
    expect(page('tbody').first().find(`tr:contains("${domain}") .badge`).text()).toBe(state)
    const first = load((await browser.get('/dashboard')).body)
    expect(first('.notice.fair').text()).toBe(notice)
  },
)
