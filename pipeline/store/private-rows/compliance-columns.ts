/** Columns of `agent_compliance` that are the state of an agent. */
export const STATE_COLUMNS = `status, status_changed_at, headline, storyboards, specialisms,
  supports_version, last_checked_at, last_passed_at, last_failed_at, streak_started_at,
  streak_days`
