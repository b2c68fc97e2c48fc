// Opens the engine, and serves its HTTP interface.
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAccess } from './http/access.ts'
import { createSpool } from './http/body.ts'
import { createListener } from './http/listener.ts'
import type { Binding } from './process/binding.ts'
import { openCore } from './process/core.ts'
import type { ChildOptions } from './process/protocol.ts'
import { serverConfigXml, usersConfigXml } from './process/server-config.ts'
import { deniedNames } from './sql/denied.ts'

const GiB = 1024 ** 3

export interface ServedEngine {
  readonly port: number
  readonly version: string
  readonly bootId: string
  beat(): Promise<void>
  /**
   * Refuses new requests, and waits until the running statements have ended. Then closes the engine, and resolves with true. If statements
   * are still running at the end of the grace period, resolves with false and leaves the engine open.
   */
  stop(graceMs: number): Promise<boolean>
}

const writeConfig = async (options: ChildOptions, bootId: string): Promise<string> => {
  const directory = join(options.directory, 'config')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const usersFile = join(directory, 'users.xml')
  const configFile = join(directory, 'config.xml')
  const content = {
    engineMemoryBytes: options.engineMemoryBytes,
    // The limit is 60 % of the engine's memory, so that a large query leaves memory for an insert. But the API's reads set their own limits
    // of up to a gibibyte, and the engine refuses a read whose own limit is above `statementMemoryBytes`. The limit is therefore at least a
    // gibibyte, but never above the engine's memory.
    statementMemoryBytes: Math.min(options.engineMemoryBytes, Math.max(GiB, Math.floor(options.engineMemoryBytes * 0.6))),
    bootId,
    usersFile,
    userFilesPath: options.workingDirectory,
  }
  await writeFile(usersFile, usersConfigXml(content), { mode: 0o600 })
  await writeFile(configFile, serverConfigXml(content), { mode: 0o600 })
  return configFile
}

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })

const within = async (graceMs: number, work: Promise<unknown>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(() => resolve(false), graceMs)
  })
  const done = await Promise.race([work.then(() => true), late])
  clearTimeout(timer)
  return done
}

export const serveEngine = async (binding: Binding, options: ChildOptions, onDefect: (error: unknown) => void): Promise<ServedEngine> => {
  const bootId = randomUUID()
  const configFile = await writeConfig(options, bootId)
  const data = join(options.directory, 'data')
  await mkdir(data, { recursive: true, mode: 0o700 })
  const core = await openCore(binding, { ...options, directory: data, configFile })
  // The spool is emptied only after the engine has locked the directory. Until then, an earlier process could still be using the spool.
  const spool = createSpool({
    directory: join(options.directory, 'spool'),
    maxBodyBytes: options.maxInsertBytes,
    maxTotalBytes: 2 * options.maxInsertBytes,
  })
  await spool.prepare()
  const front = createListener({
    core,
    access: createAccess({ user: options.user, password: options.password, hosts: [options.host, ...options.allowedHosts] }),
    spool,
    denied: deniedNames(core.features),
    database: options.database,
    maxQueryBytes: options.maxQueryBytes,
    onDefect,
  })
  const port = await listen(front.server, options.port, options.host)
  return {
    port,
    version: core.version,
    bootId,
    beat: core.beat,
    async stop(graceMs) {
      front.server.close()
      const clean = await within(graceMs, Promise.all([front.drain(), core.idle()]))
      front.server.closeAllConnections()
      if (clean) core.close()
      return clean
    },
  }
}
