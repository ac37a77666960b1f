/**
 * Faults of documents by their code. A code never changes its meaning; the message of a fault
 * describes one occurrence. `repair` is advice where the message does not contain it.
 */
export const faultCodes = {
  missing: { means: 'a required value is missing', repair: 'add it' },
  wrong_type: {
    means: 'another type of JSON value is expected',
    repair: 'write a value of that type',
  },
  empty: { means: 'it contains nothing usable', repair: 'fill it' },
  too_long: { means: 'longer than is stored', repair: 'shorten it' },
  not_allowed: { means: 'not one of the allowed values', repair: 'use one of them' },
  bad_pattern: { means: 'characters that are not allowed', repair: 'use other characters' },
  bad_domain: { means: 'not a domain name', repair: 'write the bare name, such as acme.example' },
  bad_address: { means: 'not an address that can be used', repair: 'write it in full' },
  not_https: { means: 'an address that is not encrypted', repair: 'use https' },
  bad_moment: { means: 'not a date and time', repair: 'write it as 2026-01-31T09:00:00Z' },
  bad_country: { means: 'not a country code', repair: 'use a two-letter country code, such as US' },
  imprecise: { means: 'understood, but in an unusual form', repair: 'write it in the usual form' },
  incomplete: { means: 'understood, but a part is missing', repair: 'add it' },
  unreadable: {
    means: 'so unclear that the surrounding part was left out',
    repair: 'write it in full',
  },
  repeated: { means: 'is a duplicate', repair: 'keep one' },
  repeated_agent: {
    means: 'an agent has several entries',
    repair: 'remove one, or keep both if that’s intentional',
  },
  unresolved: {
    means: 'refers to something that does not exist',
    repair: 'add it, or refer to another one',
  },
  without_effect: {
    means: 'nothing that an entry names exists, so it authorizes nothing',
    repair: 'name something that the file lists',
  },
  undescribed: { means: 'used without an explanation', repair: 'describe it' },
  contradictory: { means: 'contains two contradictory statements', repair: 'keep one of them' },
  ambiguous: { means: 'can be read in two ways', repair: 'keep one of the two' },
  misplaced: { means: 'does not belong here', repair: 'take it out' },
  misspelled: { means: 'nearly the name of a known member', repair: 'write that name' },
  unknown_member: { means: 'not part of the format, so it is ignored', repair: 'remove it' },
  outdated: { means: 'an outdated form', repair: 'write it in the new form' },
  out_of_order: { means: 'ends before it begins', repair: 'swap or correct the two' },
  foreign_host: {
    means: 'names a host that does not belong to the owner',
    repair: 'name the owner',
  },
  too_broad: { means: 'more than is stored', repair: 'select fewer properties' },
  private_key: { means: 'a private key is published', repair: 'replace the key pair at once' },
  nested_pointer: {
    means: 'a pointer leads to another pointer',
    repair: 'point to the file itself',
  },
  superseded: { means: 'another file supersedes it', repair: 'read that one' },
  unknown_form: { means: 'not one of the known forms', repair: 'follow one of them' },
  not_json: { means: 'not JSON', repair: 'serve JSON' },
  not_an_object: { means: 'JSON, but not an object', repair: 'wrap it in an object' },
  not_text: { means: 'a web page instead of a text file', repair: 'serve the file itself' },
  not_utf8: { means: 'not valid UTF-8', repair: 'save the file as UTF-8' },
  too_deep: { means: 'nested too deep', repair: 'make it flatter' },
  more_faults: {
    means: 'there are more issues than can be listed',
    repair: 'fix the others first',
  },
  held_back: {
    means: 'an implausible change, rejected or held for now',
    repair: 'request a crawl',
  },
  refused_answer: {
    means: 'an agent gave no usable answer to a task',
    repair: 'fix the task',
  },
  no_answer: { means: 'an agent did not answer', repair: 'make sure it is reachable' },
  expired: { means: 'no longer in effect', repair: 'take it out, or extend it' },
  not_yet: { means: 'not in effect yet', repair: 'wait, or let it begin earlier' },
  in_future: {
    means: 'a time in the future where a past one is expected',
    repair: 'write the time of the last change',
  },
  not_exclusive: {
    means: 'exclusive, and another agent can sell the same',
    repair: 'keep one entry',
  },
  unknown_agent: {
    means: 'no known agent has this URL, or it is new',
    repair: 'check the URL',
  },
  unpinned: { means: 'no key binds the agent', repair: 'pin its signing keys' },
  file_missing: { means: 'the file is missing', repair: 'publish it at this URL' },
  http_status: {
    means: 'the status is not 200',
    repair: 'serve it with 200',
  },
  bad_redirect: {
    means: 'redirects lead off the site, in a loop, or too far',
    repair: 'serve it without redirects',
  },
  too_large: { means: 'the file is larger than the limit', repair: 'make it smaller' },
  timeout: { means: 'the request timed out', repair: 'make the server answer faster' },
  connection: {
    means: 'the server cannot be reached',
    repair: 'check its name, and that the server is public',
  },
  cut_off: {
    means: 'the connection was lost during the answer',
    repair: 'make the server send all of it',
  },
  coding: {
    means: 'the content coding is unknown or wrong',
    repair: 'send it as gzip, or as it is',
  },
  long_headers: {
    means: 'the headers of the answer are larger than the limit',
    repair: 'send fewer or shorter ones',
  },
  not_http: { means: 'the answer is not valid HTTP', repair: 'let a web server answer there' },
  robots: {
    means: 'robots.txt disallows it, or cannot be read',
    repair: 'allow it there, and serve robots.txt to everyone',
  },
  tls: { means: 'the certificate or the handshake failed', repair: 'renew the certificate' },
  orphaned_pointer: {
    means: 'the target of the pointer names nothing of this domain',
    repair: 'have your properties added there, with their publisher_domain',
  },
  manager_used: {
    means: 'read from the file of the manager that ads.txt names',
    repair: 'publish a file that points there',
  },
  manager_unread: {
    means: 'the file of the manager that ads.txt names cannot be read',
    repair: 'ask the manager to publish it',
  },
  ads_txt_unread: {
    means: 'the ads.txt that may name a manager cannot be read',
    repair: 'make the server answer for it: with the file, or with 404',
  },
  out_of_scope: {
    means: 'the file of the manager does not name this publisher',
    repair: 'have the manager name the domain in an entry',
  },
  unasked: { means: 'it could not be checked at the moment', repair: 'try again' },
} as const satisfies Record<string, { means: string; repair: string }>

export type FaultCode = keyof typeof faultCodes
export const faultCodeNames = Object.keys(faultCodes) as [FaultCode, ...FaultCode[]]
