/**
 * Values of `task_type` in webhooks that the registry posts: events, changes of an organization's audit, the
 * challenge that a receiver must echo before it gets any, and a test that its owner requests.
 */
export const pushTypes = {
  events: 'registry_events',
  audit: 'registry_audit',
  challenge: 'registry_challenge',
  test: 'registry_test',
} as const
