export declare function startModelApi(port?: number): Promise<{ readonly url: string; readonly close: () => Promise<void> }>
