declare module 's3rver' {
  interface Options {
    address: string
    port: number
    silent: boolean
    directory: string
    configureBuckets: { name: string; configs: string[] }[]
  }
  export default class S3rver {
    constructor(options: Options)
    run(): Promise<{ port: number }>
    /** The server beneath, once it runs. */
    readonly httpServer: import('node:http').Server
    close(): Promise<void>
  }
}
