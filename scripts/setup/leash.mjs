/** Loaded into the child of `handOver`, which would outlive a parent that was killed outright. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
