// Reads the workspace: its packages, their files, and the imports of the files.
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

export interface Import {
  readonly from: string
  /** Imported name: a package, a path that begins with a dot, or `node:…`. */
  readonly specifier: string
}

export interface SourceFile {
  /** Path relative to the folder of the workspace, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
  /** True if only tests, benches or tools use the file. Such a file may import development dependencies. */
  readonly development: boolean
}

export interface Package {
  readonly name: string
  readonly folder: string
  /** A `package` is a part of the SDK, which runs in users' applications. */
  readonly kind: 'lib' | 'service' | 'app' | 'package' | 'bench'
  readonly exports: readonly string[]
  readonly dependencies: readonly string[]
  readonly devDependencies: readonly string[]
  readonly scripts: readonly string[]
  readonly files: readonly SourceFile[]
}

export interface Workspace {
  readonly packages: readonly Package[]
  readonly rootDependencies: readonly string[]
  readonly otherFiles: readonly SourceFile[]
}

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const ignoredFolders = new Set([
  'node_modules',
  'dist',
  'fixtures',
  'results',
  '.git',
  '.toolchain',
  '.svc',
  '.svc-cluster',
  '.cache',
  'data',
])
const isCode = (name: string) => /\.(tsx?|mts|mjs|js)$/.test(name) && !name.endsWith('.d.ts')

function* codeBelow(folder: string, skip: (entry: Dirent) => boolean = () => false): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (ignoredFolders.has(entry.name) || skip(entry)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* codeBelow(path)
    else if (entry.isFile() && isCode(entry.name)) yield path
  }
}

// An import clause contains no quotes and no semicolons, so these patterns find its end.
const importPatterns = [
  /^[ \t]*(?:import|export)\b[^'"`;=(]*?\bfrom\s*['"]([^'"\n]+)['"]/gm,
  /^[ \t]*import\s*['"]([^'"\n]+)['"]/gm,
  /\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g,
]

/** Returns the imported packages and paths. Imports of types are included. */
export const importsOf = (text: string): string[] => importPatterns.flatMap(pattern => [...text.matchAll(pattern)].map(match => match[1]!))

function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  const name = relative(root, path).replaceAll('\\', '/')
  return {
    path: name,
    text,
    imports: importsOf(text).map(specifier => ({ from: name, specifier })),
    development: /\.(test|config)\.ts$|(^|\/)(test|bench|tools)\//.test(name),
  }
}

const kinds: Readonly<Record<string, Package['kind']>> = {
  libs: 'lib',
  services: 'service',
  apps: 'app',
  packages: 'package',
  bench: 'bench',
}

function readPackage(root: string, folder: string): Package {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
  return {
    name: manifest.name,
    folder,
    kind: kinds[folder.split('/')[0]!]!,
    exports: Object.keys(manifest.exports ?? {}),
    dependencies: [...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.peerDependencies ?? {})],
    devDependencies: Object.keys(manifest.devDependencies ?? {}),
    scripts: Object.values(manifest.scripts ?? {}),
    files: [...codeBelow(join(root, folder))].map(path => readSource(root, path)),
  }
}

export function readWorkspace(root: string): Workspace {
  const below = (group: string) => (existsSync(join(root, group)) ? readdirSync(join(root, group)).map(name => `${group}/${name}`) : [])
  const folders = [...below('libs'), ...below('services'), ...below('apps'), ...below('packages'), 'bench'].filter(folder =>
    existsSync(join(root, folder, 'package.json')),
  )
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const isPackageGroup = (entry: Dirent) => ['libs', 'services', 'apps', 'packages', 'bench'].includes(entry.name)
  return {
    packages: folders.map(folder => readPackage(root, folder)),
    rootDependencies: [...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.devDependencies ?? {})],
    otherFiles: [...codeBelow(root, isPackageGroup)].map(path => readSource(root, path)),
  }
}

/** Returns the package of an import. Returns null for a path and for a module of Node. */
export function packageOf(specifier: string): string | null {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return null
  if (specifier.startsWith('/')) return specifier
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

export const targetOf = ({ from, specifier }: Import): string => relative('.', resolve(dirname(from), specifier)).replaceAll('\\', '/')
