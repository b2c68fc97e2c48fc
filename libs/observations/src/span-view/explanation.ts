// Records what the rules find for one span, for explanations. In production, there is no `Explanation`, and each rule only checks for null.
import type { Attributed } from './attribute-store.ts'

export interface Finding {
  readonly rule: string
  /**
   * The keys of the attributes. The text `resource ` precedes the key of a resource attribute. The list can also name other sources, such
   * as events.
   */
  readonly attributes: readonly string[]
}

/** `usage`, `cost`: a note about a key of the usage map or the cost map. `left`: about an attribute from which no column was computed. */
export interface Note {
  readonly about: 'usage' | 'cost' | 'left'
  readonly name: string
  /** Where a value comes from, or why an attribute was not used. */
  readonly why: string
}

const columnsOf = new WeakMap<object, string>()

/** Remembers which column a rule list fills, so that an explanation can name the column. */
export function forColumn<Rules extends readonly unknown[]>(column: string, rules: Rules): Rules {
  columnsOf.set(rules, column)
  return rules
}

export class Explanation {
  /**
   * The finding for each column. A later finding replaces an earlier finding,
   * just as a later value replaces an earlier value in the column.
   */
  readonly findings = new Map<string, Finding>()
  readonly notes: Note[] = []
  #used: string[] = []
  #sides: { input: string[]; output: string[] } = { input: [], output: [] }

  clear(): void {
    this.findings.clear()
    this.notes.length = 0
    this.begin()
  }

  begin(): void {
    this.#used = []
    this.#sides = { input: [], output: [] }
  }

  /** Records that the attributes in `#used` belong to the given side: the input or the output. */
  side(side: 'input' | 'output'): void {
    for (const key of this.#used) this.#sides[side].push(key)
    this.#used = []
  }

  used(span: Pick<Attributed, 'attributes'> & { readonly resourceCount: number }, entry: number): void {
    const { keys, table } = span.attributes
    this.#used.push((entry < span.resourceCount ? 'resource ' : '') + table.nameOf(keys[entry]!))
  }

  foundAttribute(rules: object, name: string): void {
    const column = columnsOf.get(rules)
    if (column === undefined) this.#used.push(name)
    else this.findings.set(column, { rule: name, attributes: [name] })
  }

  /** Stores which rule of the list `rules` matched, if the list fills a column (`forColumn`). */
  foundRule(rules: object, rule: string): void {
    const column = columnsOf.get(rules)
    if (column !== undefined) this.foundUsed(column, rule)
  }

  /** Stores the rule that determined the column, and the attributes that were used since `begin`. */
  foundUsed(column: string, rule: string): void {
    this.found(column, rule, this.#used)
  }

  /** Stores the rule that determined the column. Used by code that has no list of rules. */
  found(column: string, rule: string, attributes: readonly string[] = []): void {
    this.findings.set(column, { rule, attributes: [...new Set(attributes)] })
  }

  /** Stores the name of a source that the mapping used: an attribute or another source, such as the events. */
  use(what: string): void {
    this.#used.push(what)
  }

  /** Stores which convention for input and output has matched. */
  foundSides(rule: string, present: { readonly input: boolean; readonly output: boolean }): void {
    for (const side of ['input', 'output'] as const) if (present[side]) this.found(side, rule, [...this.#sides[side], ...this.#used])
  }
}
