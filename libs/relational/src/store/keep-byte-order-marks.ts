// PGlite decodes each value with a separate TextDecoder, which drops a byte order mark at the start of a text. Imported before PGlite.

class WholeTextDecoder extends TextDecoder {
  constructor(label?: string, options?: ConstructorParameters<typeof TextDecoder>[1]) {
    super(label, { ...options, ignoreBOM: true })
  }
}

globalThis.TextDecoder = WholeTextDecoder
