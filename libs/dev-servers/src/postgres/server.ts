// Starts a real PostgreSQL server on the loopback address. The server has one user and one database, both named `svc`.
import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { type GuardedProcess, spawnGuarded } from '../guarded-process.ts'
import { temporaryDirectory } from '../temporary-directory.ts'
import { type FindOptions, findPostgres } from './programs.ts'

export interface PostgresOptions extends FindOptions {
  /**
   * The server stores its data in this directory and keeps the directory when it stops. By default, the server uses a temporary directory.
   * The data of the temporary directory does not survive a power loss.
   */
  readonly directory?: string
  readonly port?: number
  /** Password of the user svc. The server sets the password when it initializes the directory. */
  readonly password?: string
  /** 50 by default. */
  readonly maxConnections?: number
}

export interface PostgresServer extends AsyncDisposable {
  /** postgres://svc:…@127.0.0.1:…/svc */
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly from: 'this machine' | 'npm'
  /** Sends SIGKILL, and resolves after the process has ended. */
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

const maxRestarts = 10

interface Owner {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root. If this process is root, the server runs as user `postgres` or `nobody`. */
function ownerOfProcess(): Owner {
  if (process.getuid?.() !== 0) return {}
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map(line => line.split(':'))
      .map(([name = '', , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
  )
  return users.get('postgres') ?? users.get('nobody') ?? { uid: 65_534, gid: 65_534 }
}

function run(program: string, args: readonly string[], owner: Owner, input = ''): Promise<void> {
  return new Promise((done, fail) => {
    const child = execFile(program, args, { ...owner, env: { LC_ALL: 'C', TZ: 'UTC' }, cwd: '/' }, (error, out, err) =>
      error ? fail(new Error(`${program} failed: ${err || out || error.message}`, { cause: error })) : done(),
    )
    child.stdin?.end(input)
  })
}

/** Throws if the server's user cannot enter this directory. */
function requireReach(path: string, owner: Owner): void {
  if (owner.uid === undefined) return
  try {
    execFileSync('/bin/sh', ['-c', 'test -x "$0"', path], { ...owner, cwd: '/', stdio: 'ignore' })
  } catch (cause) {
    throw new Error(
      `PostgreSQL does not run as the superuser, and user ${owner.uid}, which would run it instead, cannot enter ${path}: start as a different user, ` +
        'or run a server yourself and set DATABASE_URL.',
      { cause },
    )
  }
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const programs = await findPostgres(options)
  const owner = ownerOfProcess()
  const temporary = options.directory === undefined ? await temporaryDirectory('svc-postgres-') : undefined
  const home = options.directory ?? temporary!.path
  const port = options.port ?? (await freePort())
  const password = options.password ?? randomBytes(12).toString('hex')
  const [data, logFile] = [join(home, 'data'), join(home, 'postgres.log')]

  mkdirSync(home, { recursive: true, mode: 0o700 })
  chmodSync(home, 0o700)
  closeSync(openSync(logFile, 'a'))
  if (owner.uid !== undefined && owner.gid !== undefined) for (const path of [home, logFile]) chownSync(path, owner.uid, owner.gid)
  for (const path of [home, programs.postgres]) requireReach(path, owner)

  if (!existsSync(join(data, 'svc-complete'))) {
    // These files remain from an interrupted first start. The files contain no data.
    rmSync(data, { recursive: true, force: true })
    const passwordFile = join(home, 'password')
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(passwordFile, owner.uid, owner.gid)
    const locale = ['--encoding=UTF8', '--locale=C', '--no-instructions']
    const access = ['--username=svc', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
    await run(programs.initdb, ['-D', data, ...locale, ...access, ...(temporary ? ['--no-sync'] : [])], owner)
    await run(programs.postgres, ['--single', '-D', data, 'postgres'], owner, 'CREATE DATABASE svc\n')
    rmSync(passwordFile)
    writeFileSync(join(data, 'svc-complete'), '')
  }

  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: options.maxConnections ?? 50,
    shared_buffers: '32MB',
    ...(temporary && { fsync: 'off' }),
  }
  const launch = async (): Promise<GuardedProcess> => {
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const command = [programs.postgres, '-D', data, ...args]
    const readyLine = 'database system is ready to accept connections'
    const started = await spawnGuarded({ what: 'PostgreSQL', command, logFile, readyLine, orphanSignal: 'QUIT', ...owner })
    await started.ready()
    return started
  }
  let server: GuardedProcess
  try {
    server = await launch()
  } catch (error) {
    await temporary?.remove()
    throw error
  }

  const stop = async (): Promise<void> => {
    // With SIGINT, the server closes its connections and keeps committed data.
    server.signal('SIGINT')
    await server.ended()
    await temporary?.remove()
  }
  return {
    url: `postgres://svc:${password}@127.0.0.1:${port}/svc`,
    port,
    from: programs.from,
    get pid() {
      return server.pid
    },
    async kill() {
      server.signal('SIGKILL')
      await server.ended()
    },
    async restart() {
      // The session processes of a killed server end a moment later than the server. A new server can start only after they have ended.
      for (let tries = 1; ; tries++) {
        try {
          server = await launch()
          return
        } catch (error) {
          if (tries === maxRestarts) throw error
          await sleep(500)
        }
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
