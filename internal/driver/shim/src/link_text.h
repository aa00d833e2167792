/* Linking for the stand-in of nvJitLink (package compilers), which has no context. */

/* crosslane_link links modules of PTX. registers is the most registers of a thread; 0: no limit is given. *text is the linked module and *log what there is to say; the caller frees both.
   The result is a CUresult. */
int crosslane_link(uint32_t registers, uint32_t n, const char *const *names, const char *const *data, const size_t *sizes, char **text, char **log)
{
	const char *bytes;
	uint32_t size;
	int e = EXPORT(cuInit)(0);
	*text = *log = NULL;
	if (e)
		return e;
	BEGIN(LINK);
	put32(registers), put32(n);
	for (uint32_t i = 0; i < n; i++)
		put_bytes(names[i], strlen(names[i])), put_bytes(data[i], sizes[i]);
	e = transact();
	bytes = get_bytes(&size);
	*text = e ? NULL : strndup(bytes, size);
	bytes = get_bytes(&size);
	*log = strndup(bytes, size);
	if (!e && !*text)
		e = OUT_OF_MEMORY;
	END(e);
}
