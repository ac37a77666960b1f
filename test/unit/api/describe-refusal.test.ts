import { expect, test } from 'vitest'
import { writeInvitation } from '../../../api/live/invitation-mail.ts'
import { describeRefusal } from '../../../api/pages/describe-refusal.ts'

const DOMAIN = '`domain` must be a domain name such as acme.example'
const AGENT = '`url` must be an agent URL such as https://agent.example/mcp'

test.each([
  [DOMAIN, { domain: 'no!' }, '“no!” isn’t a valid domain. Enter a domain such as acme.example.'],
  [DOMAIN, { domain: ' ' }, 'Enter a domain, such as acme.example.'],
  [AGENT, { url: 'ftp' }, /^“ftp” isn’t an agent URL\. Enter a URL such as https:/],
  [
    '`url` must be on the public internet',
    { url: 'http://foo' },
    '“http://foo” isn’t on the public internet. Enter a URL such as https://sales.acme.example/mcp.',
  ],
  [
    '`url` must be an endpoint on the public internet',
    { url: 'https://127.0.0.1/x' },
    '“https://127.0.0.1/x” isn’t on the public internet. Enter a URL such as https://acme.example/changes.',
  ],
  ['`email` must be an email address', { email: 'bob' }, /^“bob” isn’t a valid email address\./],
  [
    '`domain` must be a domain on the public internet.',
    { domain: 'db.internal' },
    '“db.internal” isn’t on the public internet. Enter a domain such as acme.example.',
  ],
  [
    '`domain` must not be a public suffix.',
    { domain: 'co.uk' },
    '“co.uk” is a public suffix. Enter a domain below it, such as acme.co.uk.',
  ],
  [
    '`as_of` must be a date and time such as 2026-01-31T09:00:00Z, or a date.',
    { as_of: 'yesterday' },
    '“yesterday” isn’t a valid time. Enter a date and time such as 2026-01-31T09:00:00Z, or a date.',
  ],
  [
    '`url` must use https and cannot contain credentials or a fragment.',
    { url: 'http://ann:secret@acme.example/' },
    'Enter an https URL without credentials or a fragment, such as https://acme.example/changes.',
  ],
  ['`name` must not be empty', { name: '' }, 'Enter a name.'],
  ['`organization_name` must not be empty', {}, 'Enter an organization name.'],
  ['`pairs` must not be empty.', {}, 'Enter the list.'],
  ['`token_endpoint` must be an https URL', {}, 'Token endpoint must be an https URL.'],
  ['`type` must be one of sales, brand', { type: 'nope' }, 'Unknown type: “nope”.'],
  ['`type` must be sales or brand', { type: 'nope' }, 'Unknown type: “nope”.'],
  ['`type` must be one of sales, brand', {}, 'Type must be one of sales, brand.'],
  [
    'Nothing before 2026-11-20T03:00:00.000Z is known.',
    {},
    'Nothing before 20 Nov 2026, 03:00 UTC is known.',
  ],
  ['it was already rejected', {}, 'It was already rejected.'],
  ['acme.example is taken', {}, 'acme.example is taken.'],
  [
    'The body may have at most 1048576 bytes.',
    undefined,
    'What you sent is too large: it can have at most 1.05 MB.',
  ],
  ['Cannot reach Redis.', undefined, 'Cannot reach Redis.'],
])('the refusal “%s” of %j is a sentence', (text, sent, sentence) => {
  const shown = describeRefusal(text, sent)
  if (typeof sentence === 'string') expect(shown).toBe(sentence)
  else expect(shown).toMatch(sentence)
})

test('an invitation names who invites, to what, as what and until when', () => {
  const text = writeInvitation({
    email: 'bob@acme.example',
    role: 'admin',
    organization: 'Acme\nGroup',
    inviter: 'ann@acme.example',
    url: 'https://registry.example/dashboard/join?token=x',
    expires_at: '2026-12-05T03:00:00.000Z',
  })
  expect(text.split('\n\n')).toEqual([
    'ann@acme.example invited you to join Acme Group on Agentic Ad Registry (registry.example) as an admin.',
    'To accept, open this link and sign in with bob@acme.example:',
    'https://registry.example/dashboard/join?token=x',
    'The link works once, until 5 December 2026. If you did not expect an invitation, please ignore this email.',
  ])
})
