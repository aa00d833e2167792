typedef unsigned long size_t; typedef unsigned u32;
void*malloc(size_t);void free(void*);void*memcpy(void*,const void*,size_t);void*memset(void*,int,size_t);void*memmove(void*,const void*,size_t);int memcmp(const void*,const void*,size_t);void*memchr(const void*,int,size_t);
size_t strlen(const char*);char*strcpy(char*,const char*);char*strncpy(char*,const char*,size_t);int strcmp(const char*,const char*);int strncmp(const char*,const char*,size_t);char*strcat(char*,const char*);char*strchr(const char*,int);
#define TID __nvvm_read_ptx_sreg_tid_x()
__attribute__((nvptx_kernel)) void k(u32*out){ u32 t=TID,*o=out+t*12; char b[64],c[64];
 memset(b,'a'+t,t%20+1); b[t%20+1]=0; o[0]=strlen(b);
 strcpy(c,"lane "); strcat(c,b); o[1]=strlen(c)*1000+c[5]; o[2]=(u32)strcmp(b,c)>>31; o[3]=strncmp(b,b+1,t%20)==0;
 char*p=malloc(t*4+4); o[4]=p!=0; memcpy(p,c,t*4+4<8?t*4+4:8); o[5]=(unsigned char)p[3]; o[6]=memcmp(p,c,4)==0;
 memmove(p+1,p,3); o[7]=p[1]*65536+p[2]*256+p[3]; free(p);
 char*q=strchr(c,'a'+t); o[8]=q?q-c:99; q=strchr(c,0); o[9]=q-c; q=memchr(c,'n',8); o[10]=q-c; strncpy(b,"xyz",8); o[11]=b[2]+b[3]+b[7];
}
