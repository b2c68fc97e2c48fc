// Compiles a snapshot into a catalog. The catalog finds models by name. The catalog also finds prompts by name and version.
import { RE2Set } from 're2js'
import { type Spelling, spellingsOf } from './model-spellings.ts'
import { fromPostgres } from './postgres-pattern.ts'
import type { CatalogModel, CatalogPrompt, CatalogSnapshot } from './snapshot.ts'
import { compileTiers, createKeyMatcher, type KeyMatcher, type Tiers } from './tiers.ts'
import { type Tokenizer, tokenizerOf } from './tokenizers.ts'

export interface MatchedModel {
  readonly id: string
  readonly name: string
  readonly startUs: number | null
  readonly tiers: Tiers
  readonly tokenizer: Tokenizer | null
}

export interface Catalog {
  readonly version: string
  /** Unusable parts of the snapshot, which the caller should log. */
  readonly warnings: readonly string[]
  /**
   * The project's own models precede managed models. Within each group, models with newer start dates come first, and models without a
   * start date come last.
   */
  match(projectId: string, modelName: string, startTimeUs: number): MatchedModel | null
  /**
   * Returns the changed spelling of `modelName` that matches a model. Returns null if `modelName` itself matches a model, or if no spelling
   * matches.
   */
  spelling(projectId: string, modelName: string): Spelling | null
  promptId(projectId: string, name: string, version: number): string | null
}

export interface CatalogOptions {
  /**
   * `newest` uses the model with the newest start date, even if this date is after the start of the span. `reached` ignores models that
   * start after the span, so that a price change can be entered in advance.
   */
  readonly startDates?: 'newest' | 'reached'
  /** Maximum number of cached names, for all projects together. */
  readonly maxCachedNames?: number
}

/** The models that a name can stand for, best first. */
interface Meaning {
  readonly models: readonly MatchedModel[]
  readonly spelling: Spelling | null
}

type NameMatcher = (name: string) => readonly MatchedModel[]

interface CompileContext {
  readonly warnings: string[]
  readonly keyMatcher: KeyMatcher
}

const unknown: Meaning = { models: [], spelling: null }

/** No provider uses longer names. */
const maxNameLength = 256

export function createCatalog(snapshot: CatalogSnapshot, options: CatalogOptions = {}): Catalog {
  const { startDates = 'newest', maxCachedNames = 10_000 } = options
  const warnings: string[] = []
  const shared = snapshot.models.filter(model => model.projectId === null)
  const own = Map.groupBy(
    snapshot.models.filter(model => model.projectId !== null),
    model => model.projectId!,
  )
  const context: CompileContext = { warnings, keyMatcher: createKeyMatcher() }
  const forAll = compileModels(shared, undefined, context)
  const forProject = new Map([...own].map(([projectId, models]) => [projectId, compileModels(models, projectMemory, context)]))
  const promptId = promptLookup(snapshot.prompts)

  // A model name means the same in all projects that have no models of their own, so these projects share one cache.
  const caches = new Map<string, Map<string, Meaning>>()
  let cached = 0

  function meaningOf(projectId: string, modelName: string): Meaning {
    const ownModels = forProject.get(projectId)
    const scope = ownModels === undefined ? '' : projectId
    let cache = caches.get(scope)
    if (cache === undefined) caches.set(scope, (cache = new Map()))
    const known = cache.get(modelName)
    if (known !== undefined) return known
    const found = lookUp(modelName, ownModels)
    if (cached++ >= maxCachedNames) {
      caches.clear()
      caches.set(scope, (cache = new Map()))
      cached = 1
    }
    cache.set(modelName, found)
    return found
  }

  /** If no model matches the name, tries alternative spellings of the name. Only managed models are found by an alternative spelling. */
  function lookUp(modelName: string, ownModels: NameMatcher | undefined): Meaning {
    const models = [...(ownModels?.(modelName) ?? []), ...forAll(modelName)]
    if (models.length > 0) return { models, spelling: null }
    for (const spelling of spellingsOf(modelName)) {
      const respelled = forAll(spelling.name)
      if (respelled.length > 0) return { models: respelled, spelling }
    }
    return unknown
  }

  const isName = (text: string) => text.length > 0 && text.length <= maxNameLength

  return {
    version: snapshot.version,
    warnings,
    promptId,
    match(projectId, modelName, startTimeUs) {
      if (!isName(modelName)) return null
      const { models } = meaningOf(projectId, modelName)
      if (startDates === 'newest') return models[0] ?? null
      for (let i = 0; i < models.length; i++) {
        const { startUs } = models[i]!
        if (startUs === null || startUs <= startTimeUs) return models[i]!
      }
      return null
    },
    spelling: (projectId, modelName) => (isName(modelName) ? meaningOf(projectId, modelName).spelling : null),
  }
}

/** Maximum bytes of memory for the automaton of a project's patterns. When this memory is full, the automaton empties its cache. */
const projectMemory = 1 << 20

/**
 * Returns a function that finds models, best first. All patterns form one automaton, so a name is read only once. The automaton is built on
 * first use.
 */
function compileModels(models: readonly CatalogModel[], memory: number | undefined, context: CompileContext): NameMatcher {
  const patterns = new RE2Set(RE2Set.UNANCHORED, 0, memory)
  const compiled: MatchedModel[] = []
  for (const model of [...models].sort(byPrecedence)) {
    const warn = (message: string) => context.warnings.push(`Model ${model.id} (${model.modelName}): ${message}.`)
    const refusal = addPattern(patterns, model.matchPattern)
    if (refusal !== undefined) {
      warn(`its match pattern is refused: ${refusal}`)
      continue
    }
    compiled.push({
      id: model.id,
      name: model.modelName,
      startUs: startUsOf(model),
      tiers: compileTiers(model, { warn, keyMatcher: context.keyMatcher }),
      tokenizer: tokenizerOf(model),
    })
  }
  if (compiled.length === 0) return () => []
  return name =>
    patterns
      .match(name)
      .sort((a, b) => a - b)
      .map(i => compiled[i]!)
}

/** Adds a pattern in PostgreSQL's syntax, or returns the reason why it cannot be added. */
function addPattern(patterns: RE2Set, pattern: string): string | undefined {
  const translated = fromPostgres(pattern)
  if (!translated.ok) return translated.message
  try {
    patterns.add(translated.pattern)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function startUsOf({ startDate }: CatalogModel): number | null {
  const ms = startDate === null ? Number.NaN : Date.parse(startDate)
  return Number.isNaN(ms) ? null : ms * 1000
}

const startRank = (model: CatalogModel): number => startUsOf(model) ?? Number.NEGATIVE_INFINITY

/** The latest start date comes first, then stored models before shipped models. The id decides last, so that the order is unique. */
function byPrecedence(a: CatalogModel, b: CatalogModel): number {
  const [startA, startB] = [startRank(a), startRank(b)]
  if (startA !== startB) return startB > startA ? 1 : -1
  if (a.shipped !== b.shipped) return a.shipped ? 1 : -1
  return a.id < b.id ? -1 : 1
}

function promptLookup(prompts: readonly CatalogPrompt[]): Catalog['promptId'] {
  const projects = new Map<string, Map<string, Map<number, string>>>()
  for (const { projectId, name, version, id } of prompts) {
    let names = projects.get(projectId)
    if (names === undefined) projects.set(projectId, (names = new Map()))
    let versions = names.get(name)
    if (versions === undefined) names.set(name, (versions = new Map()))
    versions.set(version, id)
  }
  // A client sends 0 if it does not know the version.
  return (projectId, name, version) => (version === 0 ? null : (projects.get(projectId)?.get(name)?.get(version) ?? null))
}
