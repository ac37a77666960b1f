/** Ends the child process of `execNode` when its parent is killed; otherwise it would keep running. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
