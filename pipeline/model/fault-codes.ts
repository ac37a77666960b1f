/**
 * Faults of documents by their code. A code never changes its meaning; the message of a fault
 * describes one occurrence. `repair` is advice where the message does not contain it.
 */
export const faultCodes = {
  missing: { means: 'something that belongs there is not', repair: 'add it' },
  wrong_type: { means: 'another kind of JSON value is expected', repair: 'write the other kind' },
  empty: { means: 'nothing usable is in it', repair: 'fill it' },
  too_long: { means: 'longer than is kept', repair: 'shorten it' },
  not_allowed: { means: 'none of the words that are allowed', repair: 'use one of them' },
  bad_pattern: { means: 'characters that are not allowed', repair: 'use other characters' },
  bad_domain: { means: 'not a domain name', repair: 'write the bare name, such as acme.example' },
  bad_address: { means: 'not an address that can be used', repair: 'write it in full' },
  not_https: { means: 'an address that is not encrypted', repair: 'use https' },
  bad_moment: { means: 'not a date and time', repair: 'write it as 2026-01-31T09:00:00Z' },
  bad_country: { means: 'not a country code', repair: 'write two capital letters, such as GB' },
  imprecise: { means: 'understood, but written otherwise', repair: 'write it in the usual form' },
  incomplete: { means: 'read all the same, but a part belongs there', repair: 'add it' },
  unreadable: { means: 'so unclear that more than it was left out', repair: 'write it in full' },
  repeated: { means: 'stands there twice', repair: 'keep one' },
  repeated_agent: { means: 'an agent has several entries', repair: 'check that all are meant' },
  unresolved: { means: 'names something that is not there', repair: 'add it, or name another' },
  undescribed: { means: 'used and nowhere explained', repair: 'describe it' },
  contradictory: { means: 'says two things that exclude each other', repair: 'keep one of them' },
  ambiguous: { means: 'can be read in two ways', repair: 'keep one of the two' },
  misplaced: { means: 'has no place here', repair: 'take it out' },
  outdated: { means: 'an older way to write it', repair: 'write it in the new way' },
  out_of_order: { means: 'ends before it begins', repair: 'swap or correct the two' },
  foreign_host: { means: 'speaks of a host that is not the owner’s', repair: 'name the owner' },
  too_broad: { means: 'more than is kept', repair: 'select fewer properties' },
  private_key: { means: 'a private key is published', repair: 'replace the key pair at once' },
  nested_pointer: {
    means: 'a pointer leads to another pointer',
    repair: 'point to the file itself',
  },
  superseded: { means: 'another file takes its place', repair: 'read that one' },
  unknown_form: { means: 'none of the forms that are known', repair: 'follow one of them' },
  not_json: { means: 'not JSON', repair: 'serve JSON' },
  not_an_object: { means: 'JSON, but not an object', repair: 'wrap it in an object' },
  not_text: { means: 'a web page instead of a text file', repair: 'serve the file itself' },
  not_utf8: { means: 'not valid UTF-8', repair: 'save the file as UTF-8' },
  too_deep: { means: 'nested too deep', repair: 'make it flatter' },
  more_faults: {
    means: 'there are more faults than are listed',
    repair: 'repair the others first',
  },
  held_back: { means: 'a change that is not believed, or not yet', repair: 'ask for a crawl' },
  refused_answer: {
    means: 'an agent answered a task with nothing usable',
    repair: 'repair the task',
  },
  no_answer: { means: 'an agent did not answer', repair: 'see that it can be reached' },
  expired: { means: 'no longer in effect', repair: 'take it out, or extend it' },
  not_yet: { means: 'not in effect yet', repair: 'wait, or let it begin earlier' },
  not_exclusive: { means: 'exclusive, and another may sell the same', repair: 'keep one entry' },
  unpinned: { means: 'no key binds the agent', repair: 'pin its signing keys' },
  file_missing: { means: 'there is no file', repair: 'publish it at this address' },
  http_status: {
    means: 'the server answered another status than 200',
    repair: 'serve it with 200',
  },
  bad_redirect: {
    means: 'redirects lead off the site, in circles, or too far',
    repair: 'serve it in place',
  },
  too_large: { means: 'the file is larger than is read', repair: 'make it smaller' },
  timeout: { means: 'no complete answer in time', repair: 'see that the server answers sooner' },
  connection: {
    means: 'the server cannot be reached',
    repair: 'check its name and that it is public',
  },
  tls: { means: 'the certificate or the handshake failed', repair: 'renew the certificate' },
  orphaned_pointer: {
    means: 'the file pointed to names nothing of this domain',
    repair: 'have its keeper add your properties with their publisher_domain',
  },
  manager_used: {
    means: 'read from the file of the manager that ads.txt names',
    repair: 'publish a file that points there',
  },
  manager_unread: {
    means: 'the file of the manager that ads.txt names cannot be read',
    repair: 'ask the manager to publish it',
  },
  out_of_scope: {
    means: 'the file of the manager does not name this publisher',
    repair: 'have the manager name the domain in an entry',
  },
  unasked: { means: 'nobody could look at the moment', repair: 'try again' },
} as const satisfies Record<string, { means: string; repair: string }>

export type FaultCode = keyof typeof faultCodes
export const faultCodeNames = Object.keys(faultCodes) as [FaultCode, ...FaultCode[]]
