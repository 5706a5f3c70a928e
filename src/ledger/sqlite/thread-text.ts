/** The program of the reader thread as one text. The build replaces it; the sources start the file itself. */
export const THREAD_TEXT: string | undefined = undefined
