// What the rules found for one span, for whoever asks why a column holds what it holds. In production there
// is no trail, only a test for null.
import type { Attributed } from './attribute-store.ts'

export interface Finding {
  readonly rule: string
  /** The attributes that the rule used, as `key` or `resource key`. */
  readonly attributes: readonly string[]
}

/** Of one key of a map, or of an attribute that no column took. */
export interface Note {
  readonly about: 'usage' | 'cost' | 'left'
  readonly name: string
  /** Where it came from; of what was left, why. */
  readonly why: string
}

const columnsOf = new WeakMap<object, string>()

/** Names the column that a list of rules decides about. */
export function forColumn<Rules extends readonly unknown[]>(column: string, rules: Rules): Rules {
  columnsOf.set(rules, column)
  return rules
}

export class Trail {
  /** By column; the last finding counts, as the last write does. */
  readonly findings = new Map<string, Finding>()
  readonly notes: Note[] = []
  #used: string[] = []
  #sides: { input: string[]; output: string[] } = { input: [], output: [] }

  clear(): void {
    this.findings.clear()
    this.notes.length = 0
    this.begin()
  }

  /** A rule is about to look; what it uses is its own. */
  begin(): void {
    this.#used = []
    this.#sides = { input: [], output: [] }
  }

  /** What was used since then is about this side of the span. */
  side(side: 'input' | 'output'): void {
    for (const key of this.#used) this.#sides[side].push(key)
    this.#used = []
  }

  /** The rule that is looking used this attribute of the span. */
  used(span: Pick<Attributed, 'attributes'> & { readonly resourceCount: number }, entry: number): void {
    const { keys, table } = span.attributes
    this.#used.push((entry < span.resourceCount ? 'resource ' : '') + table.nameOf(keys[entry]!))
  }

  foundAttribute(rules: object, name: string): void {
    const column = columnsOf.get(rules)
    if (column === undefined) this.#used.push(name)
    else this.findings.set(column, { rule: name, attributes: [name] })
  }

  /** The rule that looked last was taken. */
  foundRule(rules: object, rule: string): void {
    const column = columnsOf.get(rules)
    if (column !== undefined) this.foundUsed(column, rule)
  }

  /** A decision from the attributes used since `begin`. */
  foundUsed(column: string, rule: string): void {
    this.found(column, rule, this.#used)
  }

  /** A decision that no list makes. */
  found(column: string, rule: string, attributes: readonly string[] = []): void {
    this.findings.set(column, { rule, attributes: [...new Set(attributes)] })
  }

  /** What has no number of its own: an event, a piece of the span. */
  use(what: string): void {
    this.#used.push(what)
  }

  /** A convention for input and output was taken. */
  foundSides(rule: string, present: { readonly input: boolean; readonly output: boolean }): void {
    for (const side of ['input', 'output'] as const) if (present[side]) this.found(side, rule, [...this.#sides[side], ...this.#used])
  }
}
