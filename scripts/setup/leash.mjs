/** Ends the child of `execNode` when its parent was killed; without this it would live on. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
