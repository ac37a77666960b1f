/** Ends the child process of `execNode` when its parent is killed; otherwise it would keep running. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
// Nobody at the other end hears what a role tells its supervisor.
process.send = undefined
// Children of this process have a supervisor, and are not on this leash.
process.execArgv.splice(process.execArgv.indexOf('--import'), 2)
