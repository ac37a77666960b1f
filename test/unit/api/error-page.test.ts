import { expect, test } from 'vitest'
import { buildErrorPage } from '../../../api/pages/error-page.tsx'
import { PublicError } from '../../../pipeline/core/errors.ts'

/** Registry without records, at which people sign in. */
const SITE = {
  reader: { serving: undefined },
  isAuthorizationServer: true,
  baseUrl: () => 'https://registry.example',
}
const WRONG_TYPE = new PublicError('invalid_request', 'type: must be one of agent.removed')
const LIMITED = new PublicError('rate_limited', 'no more than 20 of these requests a minute')
const BUILDING = new PublicError('unavailable', 'the lists are being built; try again')

test.each<[PublicError | undefined, string, string, RegExp, RegExp]>([
  [WRONG_TYPE, 'GET', '/changes?type=nope', /Invalid request/, /href="\/changes"/],
  [
    WRONG_TYPE,
    'GET',
    '/brands?type=nope&sort=name',
    /Unknown type: “nope”/,
    /href="\/brands\?sort=name"/,
  ],
  [LIMITED, 'GET', '/search?q=a', /Too many requests/, /href="\/search\?q=a">load the page again/],
  [LIMITED, 'POST', '/workshop', /Too many requests/, /go back and submit the form again/],
  [BUILDING, 'GET', '/brands', /Temporarily unavailable/, /href="\/brands">load the page again/],
  [undefined, 'GET', '/brands', /Something went wrong/, /href="\/">home page/],
])('the page of an error says what to do next: %s', (error, method, url, title, next) => {
  const { body } = buildErrorPage(error, { method, url, sent: { type: 'nope' } }, SITE)
  const main = String(body).split('<main')[1]
  expect(main).toMatch(title)
  expect(main).toMatch(next)
  expect(main).not.toContain('agent.removed')
  expect(body).toContain('name="q"')
})
