/** `task_type` of what the registry posts to receivers of changes: events, and two that only ask for an answer. */
export const pushTypes = {
  events: 'registry_events',
  challenge: 'registry_challenge',
  test: 'registry_test',
} as const
